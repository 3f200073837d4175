# Who may include what: xtensor is seen by autograd/xt.{hpp,cpp} alone (and by tests and examples), xsimd and TBB by autograd/kernels/;
# and nothing reaches back: autograd/ includes nothing of nn/ or optim/, nn/ nothing of optim/.
set -uo pipefail
cd "$root" || exit 1
status=0
forbid() {  # PATTERN WHY FILES...
  local pattern=$1 why=$2
  shift 2
  if git grep -nE "^ *# *include *[<\"]($pattern)" -- "$@"; then
    echo "  ^ $why"
    status=1
  fi
}
forbid 'xtensor|xtl/' "only autograd/xt.hpp and its source may include xtensor" autograd nn optim ':!autograd/xt.*'
forbid 'xsimd|immintrin|x86intrin' "only autograd/kernels/ may include xsimd" autograd nn optim examples ':!autograd/kernels'
forbid 'tbb/|oneapi/' "only autograd/kernels/parallel.cpp may include TBB" autograd nn optim examples ':!autograd/kernels/parallel.cpp'
forbid 'axisgrad/(nn|optim)/' "autograd/ may not reach back to modules or optimizers" autograd
forbid 'axisgrad/optim/' "nn/ may not reach back to optimizers" nn
forbid '"' "headers are included as <axisgrad/...>" autograd/'*.hpp' nn optim ':!autograd/kernels'
exit $status

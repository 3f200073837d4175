# A project outside of this one uses axisgrad in both ways there are: installed, found by pkg-config; and as a meson subproject.
set -uo pipefail
cd "$root" || exit 1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
status=0

mkdir -p "$folder/outside/subprojects"
ln -s "$root" "$folder/outside/subprojects/axisgrad"
cat >"$folder/outside/main.cpp" <<'CPP'
#include <cmath>
#include <iostream>

#include <axisgrad/axisgrad.hpp>

namespace ag = axisgrad;

int main() {
  ag::Sequential model(ag::sequence(ag::LSTM<float>({.inputs = 2, .units = 8})), ag::TimeAttentionBlock<float>(6), ag::Flatten{},
                       ag::Dense<float>(48, 1));
  const auto parameters = ag::parameters(model);
  ag::initialise(parameters, 1);
  ag::Tensor<float> x({64, 6, 2}), y({64, 1});
  for (ag::Size i = 0; i < x.size(); ++i) x.mutable_data()[i] = std::sin(.7f * float(i));
  for (ag::Size i = 0; i < 64; ++i) y.mutable_data()[i] = x(i, 3, 1);
  ag::Adam<float> adam{{.learning_rate = .01}};
  const auto history =
      ag::fit(model, parameters, adam, ag::mse, ag::Dataset{x, y}, {.epochs = 20, .verbose = ag::Verbose::silent});
  const double first = history.epochs.front().loss, last = history.epochs.back().loss;
  std::cout << ag::summary(model) << "loss " << first << " -> " << last << "\n";
  return last < first / 2 ? 0 : 1;
}
CPP
cat >"$folder/outside/meson.build" <<'MESON'
project('outside', 'cpp', default_options: ['cpp_std=c++20', 'warning_level=3', 'werror=true'])
executable('outside', 'main.cpp', dependencies: dependency('axisgrad', fallback: 'axisgrad'))
MESON

# Installed. The folder stands for /: no file of the sources or of build/ is used from here on.
quiet() { "$@" >"$folder/log" 2>&1 || { tail -n 40 "$folder/log"; echo "failed: $*"; return 1; }; }
installed() {
  quiet meson install -C "$build" --no-rebuild --destdir "$folder/root" || return
  local file prefix flags
  file=$(find "$folder/root" -name axisgrad.pc)
  prefix=$(sed -n 's/^prefix=//p' "$file")
  if grep -nF "$root" "$file"; then
    echo "  ^ $file names the source folder"
    return 1
  fi
  export PKG_CONFIG_PATH
  PKG_CONFIG_PATH=$(dirname "$file")
  flags=$(pkg-config --define-variable=prefix="$folder/root$prefix" --cflags --libs axisgrad) || return
  # shellcheck disable=SC2086
  quiet ${CXX:-c++} -std=c++20 -O0 -Wall -Wextra -Wpedantic -Werror "$folder/outside/main.cpp" -o "$folder/installed" $flags || return
  "$folder/installed"
}
subproject() {
  quiet meson setup "$folder/build" "$folder/outside" --buildtype=plain --force-fallback-for=axisgrad -Daxisgrad:architectures= || return
  quiet ninja -C "$folder/build" -j "$jobs" || return
  if [[ -e $folder/build/subprojects/axisgrad/tests ]]; then
    echo "as a subproject axisgrad builds its tests"
    return 1
  fi
  "$folder/build/outside"
}

echo "installed:"
installed || status=1
echo "as a subproject:"
subproject || status=1
exit $status

#include <string>
#include <typeinfo>

#include <axisgrad/autograd/backward.hpp>
#include <axisgrad/autograd/engine/sweep.hpp>

namespace axisgrad {

template <Scalar T>
void backward(const Var<T>& loss, BackwardOptions options) {
  Recording<T>::require_live(loss, "backward");
  if (loss.size() != 1)
    fail("backward", "needs a loss of one element, got the shape ", loss.shape());
  if (!loss.has_gradient())
    fail("backward",
         "the loss depends on no trainable parameter and on no input that asks for a gradient");
  auto& recording = *Recording<T>::of(loss);
  // Whether a leaf has a gradient was decided when it was watched, whatever `trainable` is now.
  for (const auto& leaf : recording.leaves) {
    if (!leaf.var.has_gradient()) continue;
    const Cell& cell = *leaf.cell;
    if (typeid(cell) != typeid(GradientCell<T>))
      fail("backward", "the parameter '", cell.name,
           "' has another scalar type than the tape: take its gradient with grad()");
    const Tensor<T>& grad = static_cast<const GradientCell<T>&>(cell).grad;
    if (!grad.empty() && grad.shape() != leaf.var.shape())
      fail("backward", "the grad of '", cell.name, "' has the shape ", grad.shape(), ", its value ",
           leaf.var.shape());
  }
  {
    Sweep<T> sweep(recording, false, nullptr);
    sweep.seed(recording.slot_of(loss), Var<T>(Tensor<T>(loss.shape(), T(1))));
    sweep.run();
    for (const auto& leaf : recording.leaves) {
      const Var<T>* g =
          leaf.var.has_gradient() ? sweep.cotangent(recording.slot_of(leaf.var)) : nullptr;
      if (!g) continue;
      Tensor<T>& sum = static_cast<GradientCell<T>&>(*leaf.cell).grad;
      if (sum.empty())
        sum = g->value();
      else
        accumulate(sum, g->value());
    }
  }
  if (!options.retain) recording.end(TapeBlock::End::released);
}

template <Scalar T>
std::vector<Var<T>> grad(const std::vector<Var<T>>& ys, const std::vector<Var<T>>& xs,
                         const std::type_identity_t<GradOptions<T>>& options) {
  if (xs.empty()) return {};
  std::vector<const Var<T>*> all;
  for (const Var<T>& y : ys) all.push_back(&y);
  for (const Var<T>& x : xs) {
    if (!x.has_gradient())
      fail("grad", "x number ", &x - xs.data(), " of shape ", x.shape(),
           " asks for no gradient: make it with tape.input(x, {.gradient = true})");
    all.push_back(&x);
  }
  for (const Var<T>& g : options.cotangents) all.push_back(&g);
  auto& recording = *Recording<T>::common(all, "grad");
  if (!options.cotangents.empty() && options.cotangents.size() != ys.size())
    fail("grad", "got ", options.cotangents.size(), " cotangents for ", ys.size(), " outputs");

  Sweep<T> sweep(recording, options.create_graph, &xs);
  for (std::size_t i = 0; i < ys.size(); ++i) {
    const Var<T>& y = ys[i];
    if (!y.on_tape() && !options.allow_constant)
      fail("grad", "y number ", i, " of shape ", y.shape(),
           " is a constant, on no tape: it depends ",
           "on no x. (A gradient is one, unless it was taken with .create_graph)");
    if (options.cotangents.empty() && y.size() != 1)
      fail("grad", "y of shape ", y.shape(), " needs a cotangent: pass .cotangents");
    const Var<T> g =
        options.cotangents.empty() ? Var<T>(Tensor<T>(y.shape(), T(1))) : options.cotangents[i];
    if (g.shape() != y.shape())
      fail("grad", "the cotangent has the shape ", g.shape(), ", y has ", y.shape());
    if (recording.options.check_finite)
      require_finite(g.value(), "grad", "the cotangent of y number " + std::to_string(i));
    if (y.has_gradient()) sweep.seed(recording.slot_of(y), g);
  }
  sweep.run();
  std::vector<Var<T>> result;
  for (const Var<T>& x : xs) {
    Var<T> g = sweep.result(recording.slot_of(x));
    // Under create_graph on the tape even where it depends on nothing: a constant is then known to
    // be one.
    result.push_back(options.create_graph && !g.on_tape() ? recording.place(g.value(), false)
                                                          : std::move(g));
  }
  return result;
}

template void backward(const Var<float>&, BackwardOptions);
template void backward(const Var<double>&, BackwardOptions);
template std::vector<Var<float>> grad(const std::vector<Var<float>>&,
                                      const std::vector<Var<float>>&, const GradOptions<float>&);
template std::vector<Var<double>> grad(const std::vector<Var<double>>&,
                                       const std::vector<Var<double>>&, const GradOptions<double>&);

}  // namespace axisgrad

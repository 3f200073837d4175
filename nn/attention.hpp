// Many-to-one attention over time: the steps of a sequence are scored against its last one.
#pragma once
#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/nn/module.hpp>

namespace axisgrad {

/// How a step h_t is scored against the last one, h.
///   luong     s_t = (h_t W) . h, not scaled (Luong, Pham and Manning 2015, "general")
///   bahdanau  s_t = tanh(h W1 + h_t W2) v (Bahdanau, Cho and Bengio 2015)
enum class AttentionScore { luong, bahdanau };

struct ManyToOneOptions {
  AttentionScore score = AttentionScore::luong;
};

/// Attention(units, score) of the PyPI package `attention` (P. Remy), the usual layer after an LSTM
/// that returns its sequence. x (B,T,inputs) -> out (B,units); weights and scores (B,T), the
/// weights sum to 1 over time: it says when, not which variable. With h the last step,
///
///   weights = softmax over t of s_t;  c = sum_t weights_t h_t;
///   out = tanh([c, h] attention_vector), which lies in (-1, 1)
///
/// Parameters in the order of get_weights(): luong_w (D,D), or bahdanau_v (D,1), bahdanau_w1 and
/// bahdanau_w2 (D,D); then attention_vector (2D,units); D = inputs; glorot_uniform, no biases.
/// Error unless x has rank 3, `inputs` features and at least one step. docs/questions.md, 10.
template <Scalar T>
class Attention {
 public:
  using scalar = T;

  Attention(Size inputs, Size units, ManyToOneOptions options = {})
      : luong_w(square(inputs, units)),
        bahdanau_v(Shape{inputs, 1}),
        bahdanau_w1(Shape{inputs, inputs}),
        bahdanau_w2(Shape{inputs, inputs}),
        attention_vector(Shape{2 * inputs, units}),
        options_(options) {}

  template <Scalar U>
  [[nodiscard]] Var<U> operator()(const Var<U>& x) const {
    return with_weights(x).out;
  }
  template <Scalar U>
  [[nodiscard]] Attended<U> with_weights(const Var<U>& x) const {
    const Size inputs = luong_w.shape()[0];
    if (x.rank() != 3 || x.shape()[2] != inputs)
      fail("Attention", "expects rank 3, (batch, time, ", inputs, "), got ", x.shape(),
           x.rank() == 2 ? ": give the whole sequence, not its last step" : "");
    const Size batch = x.shape()[0], steps = x.shape()[1];
    if (steps < 1) fail("Attention", "needs at least one time step, got ", x.shape());
    const Var<U> last = index(x, {every, -1});
    const Var<U> scores = reshape(score(x, last), {batch, steps});
    const Var<U> weights = softmax(scores, -1);
    const Var<U> context = reshape(matmul(unsqueeze(weights, 1), x), {batch, inputs});
    const Var<U> both = concat<U>({context, last}, 1);
    return {tanh(matmul(both, watch(attention_vector, x))), weights, scores};
  }

  void visit(auto&& visitor) {
    if (options_.score == AttentionScore::luong)
      visitor("luong_w", luong_w);
    else
      visitor("bahdanau_v", bahdanau_v), visitor("bahdanau_w1", bahdanau_w1),
          visitor("bahdanau_w2", bahdanau_w2);
    visitor("attention_vector", attention_vector);
  }

  // The score decides which of these are parameters.
  Parameter<T> luong_w, bahdanau_v, bahdanau_w1, bahdanau_w2, attention_vector;

 private:
  static Shape square(Size inputs, Size units) {
    if (inputs < 1 || units < 1)
      fail("Attention", "needs at least one input and one unit, got ", inputs, " and ", units);
    return {inputs, inputs};
  }
  // (B,T,1). (h_t W) . h is computed as h_t . (W h): one product with W for each sample instead of
  // one for each step.
  template <Scalar U>
  Var<U> score(const Var<U>& x, const Var<U>& last) const {
    if (options_.score == AttentionScore::luong)
      return matmul(x, unsqueeze(matmul(last, watch(luong_w, x), {.transpose_b = true}), 2));
    const Var<U> query = unsqueeze(matmul(last, watch(bahdanau_w1, x)), 1);
    return matmul(tanh(query + matmul(x, watch(bahdanau_w2, x))), watch(bahdanau_v, x));
  }

  ManyToOneOptions options_;
};

}  // namespace axisgrad

#include <sstream>

#include <axisgrad/nn/multi_head_attention.hpp>

namespace axisgrad {
namespace {
constexpr std::string_view who = "MultiHeadAttention";
// Attention by head needs one axis more than its input has.
constexpr int most_axes = max_rank - 1;
}  // namespace

namespace detail {

MultiHeadAttentionOptions completed(MultiHeadAttentionOptions o) {
  if (o.num_heads < 1) fail(who, "needs at least one head, got num_heads = ", o.num_heads);
  if (o.embed_dim != 0) {
    if (o.key_dim != 0)
      fail(who, "key_dim is the size of one head, embed_dim that of all: give one of them, got ",
           o.key_dim, " and ", o.embed_dim);
    if (o.embed_dim < 1 || o.embed_dim % o.num_heads != 0)
      fail(who, "embed_dim must be divisible by num_heads, got ", o.embed_dim, " and ",
           o.num_heads);
    o.key_dim = o.embed_dim / o.num_heads;
    if (o.embed_size == 0) o.embed_size = o.embed_dim;
    if (o.output_dim == 0) o.output_dim = o.embed_dim;
  }
  const auto fill = [](Size& size, Size other) { size = size == 0 ? other : size; };
  fill(o.value_dim, o.key_dim), fill(o.key_embed_size, o.embed_size);
  fill(o.value_embed_size, o.key_embed_size), fill(o.output_dim, o.embed_size);
  const auto require = [](Size size, const char* name, const char* meaning) {
    if (size < 1) fail(who, "needs ", name, ", ", meaning, ": got ", size);
  };
  require(o.key_dim, "key_dim", "the size of one head (or embed_dim, that of all)");
  require(o.embed_size, "embed_size", "the size of the axis that the tokens are embedded from");
  require(o.value_dim, "value_dim", "the size of one head's values");
  require(o.key_embed_size, "key_embed_size", "the size of the key's embed axis");
  require(o.value_embed_size, "value_embed_size", "the size of the value's embed axis");
  require(o.output_dim, "output_dim", "the size of the output's embed axis");
  if (!(o.dropout >= 0 && o.dropout <= 1)) fail(who, "dropout must lie in [0, 1], got ", o.dropout);
  if (o.axis.count() < 1) fail(who, "needs a token axis");
  return o;
}

TokenOrder::TokenOrder(const Shape& shape, const MultiHeadAttentionOptions& options)
    : rank_(shape.rank()) {
  if (rank_ < 3 || rank_ > most_axes)
    fail(who, "expects rank 3 to ", most_axes, " with the batch in front, got ", shape);
  const unsigned tokens = resolve(options.axis, rank_, who);
  if (tokens & 1u) fail(who, "axis 0 is the batch and cannot be a token axis");
  int embed = rank_ - 1;
  if (options.embed_axis) {
    embed = resolve(*options.embed_axis, rank_, who);
    if (embed == 0) fail(who, "axis 0 is the batch and cannot be the embed axis");
    if (tokens >> embed & 1u) fail(who, "axis ", embed, " is token axis and embed axis at once");
  } else {
    while (embed > 0 && tokens >> embed & 1u) --embed;
    if (embed == 0)
      fail(who, "no axis of ", shape, " is left to embed the tokens from: all are token axes");
  }
  unsigned count = 0;
  const auto take = [&](int axis) {
    in_place_ &= static_cast<int>(count) == axis;
    inverse_[static_cast<unsigned>(axis)] = static_cast<int>(count);
    axes_[count++] = axis;
  };
  for (int a = 0; a < rank_; ++a)
    if (a != embed && !(tokens >> a & 1u)) take(a), ++batch_axes_;
  for (int a = 0; a < rank_; ++a)
    if (tokens >> a & 1u) take(a);
  take(embed);
}

Shape lifted_mask(const Shape& mask, const Shape& scores, int batch_axes) {
  const int missing = batch_axes + 3 - mask.rank();
  if (missing < 0 || missing > 2)
    fail(who, "with ", batch_axes, " batch axes a mask has rank ", batch_axes + 1, " (padding), ",
         batch_axes + 2, " or ", batch_axes + 3, ", got ", mask);
  Shape lifted = mask, expected = scores;
  for (int i = 0; i < missing; ++i) lifted = lifted.inserted(batch_axes, 1);
  // The axes that this rank leaves out: heads, then queries.
  expected = expected.without(((1u << missing) - 1) << batch_axes);
  if (!broadcasts_to(lifted, scores))
    fail(who, missing == 2 ? "a padding mask" : "a mask of this rank", " must fit ", expected,
         ", got ", mask);
  return lifted;
}

std::string describe_weights(const Shape& weights, Axis axis) {
  const int a = resolve(axis, weights.rank(), "report");
  std::ostringstream text;
  text << "weights " << weights << ", softmax over axis " << a << " of " << weights[a]
       << (weights[a] == 1 ? " position" : " positions");
  if (weights[a] == 1)
    text << ": every weight is 1, nothing is attended to. Is the token axis the right one?";
  return text.str();
}

}  // namespace detail

template <Scalar T>
void MultiHeadAttention<T>::require_fit(const Shape& queries, const Shape& keys,
                                        const Shape& values,
                                        const detail::TokenOrder& order) const {
  const auto got = [&](auto... what) {
    fail(who, what..., ": got queries ", queries, ", keys ", keys, ", values ", values);
  };
  if (keys.rank() != queries.rank() || values.rank() != queries.rank())
    got("queries, keys and values must have one rank");
  const int e = order.embed_axis();
  const auto embedded = [&](const Shape& s, const char* what, Size size) {
    if (s[e] != size)
      fail(who, "the embed axis of the ", what, " is axis ", e, " and must have ", size,
           " positions, got ", s);
  };
  embedded(queries, "queries", options_.embed_size);
  embedded(keys, "keys", options_.key_embed_size);
  embedded(values, "values", options_.value_embed_size);
  const unsigned tokens = resolve(options_.axis, queries.rank(), who);
  for (int a = 0; a < queries.rank(); ++a) {
    if (a == e) continue;
    if (keys[a] != values[a]) got("keys and values differ on axis ", a);
    if (!(tokens >> a & 1u) && queries[a] != keys[a])
      got("queries and keys differ on the batch axis ", a);
  }
}

template class MultiHeadAttention<float>;
template class MultiHeadAttention<double>;

}  // namespace axisgrad

#include "attention_fixture.hpp"

namespace ag = axisgrad;
using ag::Axis;
using ag::Shape;
using ag::Tensor;
using ag::Var;
using ag::tests::input;
using ag::tests::made;

TEST_CASE("MultiHeadAttention: what does not fit is said") {
  using Options = ag::MultiHeadAttentionOptions;
  const auto refused = [](const Options& o, const char* text) {
    CHECK_THROWS_WITH_AS(ag::MultiHeadAttention<float>{o}, text, ag::Error);
  };
  refused({.num_heads = 3, .embed_dim = 10},
          "[MultiHeadAttention] embed_dim must be divisible by num_heads, got 10 and 3");
  refused({.num_heads = 0, .key_dim = 2, .embed_size = 3},
          "[MultiHeadAttention] needs at least one head, got num_heads = 0");
  refused({.num_heads = 2, .embed_size = 3},
          "[MultiHeadAttention] needs key_dim, the size of one head (or embed_dim, that of all): "
          "got 0");
  refused(
      {.num_heads = 2, .key_dim = 3},
      "[MultiHeadAttention] needs embed_size, the size of the axis that the tokens are embedded "
      "from: got 0");
  refused(
      {.num_heads = 2, .key_dim = 3, .embed_dim = 6},
      "[MultiHeadAttention] key_dim is the size of one head, embed_dim that of all: give one of "
      "them, got 3 and 6");
  refused({.key_dim = 3, .axis = ag::all_axes, .embed_size = 3},
          "[MultiHeadAttention] needs a token axis");
  refused({.key_dim = 3, .embed_size = 3, .dropout = 1.5},
          "[MultiHeadAttention] dropout must lie in [0, 1], got 1.5");

  const auto call = [](const Options& o, const Shape& q, const Shape& k, const Shape& v,
                       const Shape& mask, const char* text) {
    auto m = made(o);
    ag::AttentionMasks<double> masks;
    if (mask.rank()) masks.mask = Var<double>(Tensor<double>(mask, 1.));
    CHECK_THROWS_WITH_AS((void)m(input(q), input(k), input(v), masks), text, ag::Error);
  };
  const Options time{.key_dim = 3, .embed_size = 4};
  const Shape x{2, 3, 4};
  call(time, {2, 4}, {2, 4}, {2, 4}, {},
       "[MultiHeadAttention] expects rank 3 to 7 with the batch in front, got (2,4)");
  call({.key_dim = 3, .axis = 0, .embed_size = 4}, x, x, x, {},
       "[MultiHeadAttention] axis 0 is the batch and cannot be a token axis");
  call({.key_dim = 3, .axis = 3, .embed_size = 4}, x, x, x, {},
       "[MultiHeadAttention] axis 3 is out of range for a tensor of rank 3");
  call({.key_dim = 3, .axis = {1, 2}, .embed_size = 4}, x, x, x, {},
       "[MultiHeadAttention] no axis of (2,3,4) is left to embed the tokens from: all are token "
       "axes");
  call({.key_dim = 3, .axis = 2, .embed_axis = Axis(-1), .embed_size = 4}, x, x, x, {},
       "[MultiHeadAttention] axis 2 is token axis and embed axis at once");
  call({.key_dim = 3, .embed_axis = Axis(0), .embed_size = 4}, x, x, x, {},
       "[MultiHeadAttention] axis 0 is the batch and cannot be the embed axis");
  call(
      time, {2, 3, 5}, x, x, {},
      "[MultiHeadAttention] the embed axis of the queries is axis 2 and must have 4 positions, got "
      "(2,3,5)");
  call(time, x, {2, 3, 5}, x, {},
       "[MultiHeadAttention] the embed axis of the keys is axis 2 and must have 4 positions, got "
       "(2,3,5)");
  call(time, x, x, {2, 3, 5}, {},
       "[MultiHeadAttention] the embed axis of the values is axis 2 and must have 4 positions, got "
       "(2,3,5)");
  call(time, x, {2, 5, 4}, {2, 6, 4}, {},
       "[MultiHeadAttention] keys and values differ on axis 1: got queries (2,3,4), keys (2,5,4), "
       "values (2,6,4)");
  call(
      time, x, {1, 3, 4}, {1, 3, 4}, {},
      "[MultiHeadAttention] queries and keys differ on the batch axis 0: got queries (2,3,4), keys "
      "(1,3,4), values (1,3,4)");
  call(
      time, x, {2, 3, 1, 4}, x, {},
      "[MultiHeadAttention] queries, keys and values must have one rank: got queries (2,3,4), keys "
      "(2,3,1,4), values (2,3,4)");
  call(time, x, {2, 5, 4}, {2, 5, 4}, {5},
       "[MultiHeadAttention] with 1 batch axes a mask has rank 2 (padding), 3 or 4, got (5)");
  call(time, x, {2, 5, 4}, {2, 5, 4}, {3, 5},
       "[MultiHeadAttention] a padding mask must fit (2,5), got (3,5)");
  call(time, x, {2, 5, 4}, {2, 5, 4}, {2, 5, 3},
       "[MultiHeadAttention] a mask of this rank must fit (2,3,5), got (2,5,3)");
  CHECK_THROWS_WITH_AS((void)ag::mean_over_heads(input({3, 3})),
                       "[mean_over_heads] expects weights (..., heads, queries, keys), got (3,3)",
                       ag::Error);
  ag::MultiHeadAttention<double> fresh(time);
  CHECK_THROWS_WITH_AS((void)fresh(input(x)), doctest::Contains("has no value yet"), ag::Error);
}

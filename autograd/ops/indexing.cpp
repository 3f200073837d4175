// Ops that pick elements. take() and gather() are recorded as one op: what they read is a list of
// positions on one axis, equal for all lines or each line's own.
#include <algorithm>
#include <cmath>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/kernels/copy.hpp>
#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/autograd/ops/family.hpp>

namespace axisgrad {
namespace {

struct Pick {
  int axis;
  Size size;       // of that axis in x
  bool own;        // positions for each line (gather), not for all (take)
  Size positions;  // on that axis
};

// Calls f(element of x, element of the picked tensor) for all that are read.
template <class T, class F>
void for_each_pick(const Pick& p, const Shape& x, const Tensor<T>& indices, F f) {
  const Size outer = x.product(0, p.axis), inner = x.product(p.axis + 1, x.rank());
  const T* index = indices.data();
  for (Size o = 0; o < outer; ++o)
    for (Size j = 0; j < p.positions; ++j)
      for (Size i = 0; i < inner; ++i) {
        const Size out = (o * p.positions + j) * inner + i;
        const T raw = p.own ? index[out] : index[j];
        const Size at = static_cast<Size>(raw < 0 ? raw + static_cast<T>(p.size) : raw);
        f((o * p.size + at) * inner + i, out);
      }
}

template <class T>
void check_indices(std::string_view where, const Tensor<T>& indices, Size size) {
  if (indices.empty()) fail(where, "the indices are an empty Var: they have no value");
  if (size > Size(1) << std::numeric_limits<T>::digits)
    fail(where, "positions on an axis of size ", size, " are not exact in this scalar type");
  for (T i : indices)
    if (!(i >= static_cast<T>(-size) && i < static_cast<T>(size)) || i != std::floor(i))
      fail(where, "index ", i, " is not a position on an axis of size ", size);
}

// The scalar type of a sample's inputs.
template <class X>
using scalar_of = typename X::value_type::scalar;

struct take_op {
  static constexpr std::string_view name = "take";
  using Options = Pick;
  template <Scalar T>
  static void gradient(Rule<T>& r);
  template <Scalar T>
  static Var<T> apply(const Var<T>& x, const Var<T>& indices, const Pick& p, const Shape& out) {
    Tensor<T> y(out);
    T* to = y.mutable_data();
    const T* from = x.value().data();
    for_each_pick(p, x.shape(), indices.value(), [&](Size a, Size b) { to[b] = from[a]; });
    return record<take_op, T>({&x, &indices}, y, {.inputs = 2}, p);
  }
  static std::vector<Sample> samples() {
    return {
        sample("axis 1, one position twice", {{{2, 3, 5}}},
               [](auto x) {
                 return take(x[0], {2, 0, 2, -1}, 1);
               }),
        sample("axis 0", {{{4, 1, 3}}},
               [](auto x) {
                 return take(x[0], {3, 3}, 0);
               }),
        sample("a table of positions", {{{2, 3, 5}}},
               [](auto x) {
                 const Tensor<scalar_of<decltype(x)>> i({2, 3}, {0, 4, 1, 1, 0, 2});
                 return take(x[0], constant(i), 2);
               }),
        sample("nothing", {{{2, 3}}}, [](auto x) { return take(x[0], std::vector<Size>{}, 1); })};
  }
};

struct gather_op {
  static constexpr std::string_view name = "gather";
  static std::vector<Sample> samples() {
    return {sample("axis 0 beside an axis of size 1", {{{4, 1, 3}}},
                   [](auto x) {
                     const Tensor<scalar_of<decltype(x)>> i({2, 1, 3}, {3, 0, 0, 3, 1, 2});
                     return gather(x[0], constant(i), 0);
                   }),
            sample("the last axis", {{{2, 3}}},
                   [](auto x) {
                     const Tensor<scalar_of<decltype(x)>> i({2, 4}, {0, 2, 2, 1, 1, 1, 0, -1});
                     return gather(x[0], constant(i), 1);
                   }),
            sample("axis 0 beside one of size 1", {{{4, 1, 3}}},
                   [](auto x) {
                     const Tensor<scalar_of<decltype(x)>> i({2, 1, 3}, {0, 2, 3, 1, 1, 0});
                     return gather(x[0], constant(i), 0);
                   }),
            sample("axis 1", {{{2, 4, 3}}}, [](auto x) {
              const Tensor<scalar_of<decltype(x)>> i({2, 1, 3}, {0, 2, 3, 1, 1, 0});
              return gather(x[0], constant(i), 1);
            })};
  }
};

struct scatter_op {
  static constexpr std::string_view name = "scatter";
  using Options = Pick;
  template <Scalar T>
  static void gradient(Rule<T>& r) {
    r.add(0, take_op::apply(r.cotangent(), r.input(1), r.template options<Pick>(), r.shape(0)));
  }
  // x(p.positions) added into zeros of the shape `to`.
  template <Scalar T>
  static Var<T> apply(const Var<T>& x, const Var<T>& indices, const Pick& p, const Shape& to) {
    Tensor<T> y(to, T(0));
    T* sum = y.mutable_data();
    const T* from = x.value().data();
    for_each_pick(p, to, indices.value(), [&](Size a, Size b) { sum[a] += from[b]; });
    return record<scatter_op, T>({&x, &indices}, y, {.inputs = 2}, p);
  }
  static std::vector<Sample> samples() {
    return {sample("axis 1", {{{2, 4, 1}}}, [](auto x) {
      const Tensor<scalar_of<decltype(x)>> i({2, 4, 1}, {0, 2, 2, 1, 4, 4, 4, 0});
      return scatter(x[0], constant(i), 1, 5);
    })};
  }
};

template <Scalar T>
void take_op::gradient(Rule<T>& r) {
  r.add(0, scatter_op::apply(r.cotangent(), r.input(1), r.template options<Pick>(), r.shape(0)));
}

struct flip_op {
  static constexpr std::string_view name = "flip";
  struct Options {
    unsigned axes;
  };
  template <Scalar T>
  static void gradient(Rule<T>& r) {
    r.add(0, flip(r.cotangent(), Axes::of(r.template options<Options>().axes)));
  }
  static std::vector<Sample> samples() {
    return {sample("axis 1", {{{2, 3, 5}}}, [](auto x) { return flip(x[0], 1); }),
            sample("axes 0 and 2", {{{2, 1, 5}}},
                   [](auto x) {
                     return flip(x[0], {0, 2});
                   }),
            sample("all", {{{4, 3}}}, [](auto x) { return flip(x[0]); }),
            sample("an empty axis", {{{0, 3}}}, [](auto x) { return flip(x[0], 0); })};
  }
};

struct index_op {
  static constexpr std::string_view name = "index";
  static std::vector<Sample> samples() {
    return {sample("x[::-1, 0], a range on axis 0", {{{4, 1, 3}}},
                   [](auto x) {
                     return index(x[0], {range(to_end, to_end, -1), 0});
                   }),
            sample("x[1, ..., newaxis, ::2]", {{{2, 3, 5}}},
                   [](auto x) {
                     return index(x[0], {1, rest, new_axis, range(0, to_end, 2)});
                   }),
            sample("x[:, -1]", {{{2, 3, 5}}},
                   [](auto x) {
                     return index(x[0], {every, -1});
                   }),
            sample("x[:, 0, 1:]", {{{3, 1, 4}}},
                   [](auto x) {
                     return index(x[0], {every, 0, range(1, to_end)});
                   }),
            sample("x[3:0:-2]", {{{4, 3}}}, [](auto x) { return index(x[0], {range(3, 0, -2)}); })};
  }
};

template <class T>
Var<T> positions(const std::vector<Size>& indices) {
  Tensor<T> i(Shape{static_cast<Size>(indices.size())});
  std::transform(indices.begin(), indices.end(), i.mutable_data(),
                 [](Size k) { return static_cast<T>(k); });
  return Var<T>(i);
}

}  // namespace

template <Scalar T>
Var<T> take(const Var<T>& x, const Same<Var<T>>& indices, Axis axis) {
  const int a = resolve(axis, x.rank(), "take");
  check_indices("take", indices.value(), x.shape()[a]);
  Shape out = x.shape().without(1u << a);
  for (int k = 0; k < indices.rank(); ++k) out = out.inserted(a + k, indices.shape()[k]);
  return take_op::apply(x, indices, {a, x.shape()[a], false, indices.size()}, out);
}
template <Scalar T>
Var<T> take(const Var<T>& x, const std::vector<Size>& indices, Axis axis) {
  return take(x, positions<T>(indices), axis);
}

template <Scalar T>
Var<T> gather(const Var<T>& x, const Same<Var<T>>& indices, Axis axis) {
  const int a = resolve(axis, x.rank(), "gather");
  if (indices.rank() != x.rank() || indices.shape().with(a, 1) != x.shape().with(a, 1))
    fail("gather", "the indices may differ from x on axis ", a, " only: got ", indices.shape(),
         " for ", x.shape());
  check_indices("gather", indices.value(), x.shape()[a]);
  return take_op::apply(x, indices, {a, x.shape()[a], true, indices.shape()[a]}, indices.shape());
}

template <Scalar T>
Var<T> scatter(const Var<T>& x, const Same<Var<T>>& indices, Axis axis, Size size) {
  const int a = resolve(axis, x.rank(), "scatter");
  if (indices.shape() != x.shape())
    fail("scatter", "the indices must have the shape of x: got ", indices.shape(), " and ",
         x.shape());
  check_indices("scatter", indices.value(), size);
  return scatter_op::apply(x, indices, {a, size, true, x.shape()[a]}, x.shape().with(a, size));
}

template <Scalar T>
Var<T> flip(const Var<T>& x, const Axes& axes) {
  const unsigned set = resolve(axes, x.rank(), "flip");
  std::array<kernels::Index, max_rank> sizes{}, from{}, to{};
  const T* first = x.value().data();
  kernels::Index step = 1;
  for (int k = x.rank(); k-- > 0; step *= x.shape()[k]) {
    const auto a = static_cast<unsigned>(k);
    sizes[a] = x.shape()[k], to[a] = from[a] = step;
    if (!(set >> a & 1) || x.size() == 0) continue;
    first += (sizes[a] - 1) * step;
    from[a] = -step;
  }
  Tensor<T> y(x.shape());
  if (x.size() > 0)
    kernels::copy_strided(x.rank(), sizes.data(), from.data(), first, to.data(), y.mutable_data());
  return record<flip_op, T>({&x}, y, {}, {set});
}

template <Scalar T>
Var<T> one_hot(const Var<T>& indices, Size size) {
  const Tensor<T>& from = indices.value();
  if (from.empty()) fail("one_hot", "the indices are an empty Var: they have no value");
  if (size < 1) fail("one_hot", "needs at least one class, got ", size);
  Tensor<T> y(from.shape().inserted(from.rank(), size), T(0));
  T* to = y.mutable_data();
  for (T i : from) {
    if (!(i >= 0 && i < static_cast<T>(size)) || i != std::floor(i))
      fail("one_hot", i, " is not one of the ", size, " classes 0 to ", size - 1);
    to[static_cast<Size>(i)] = 1;
    to += size;
  }
  return Var<T>(y);
}

namespace {

// A range of one axis, as Python reads begin:end:step.
template <class T>
Var<T> ranged(const Var<T>& x, int axis, const IndexItem& item) {
  if (item.step > 0)
    return slice(x, {.axis = axis, .begin = item.begin, .end = item.end, .step = item.step});
  if (item.step == 0) fail("index", "the step of a range cannot be 0");
  const Size n = x.shape()[axis];
  const Size step = -std::max(item.step, -std::max<Size>(n, 1));  // beyond the axis all are equal
  const auto position = [n](Size p) { return std::clamp<Size>(p < 0 ? p + n : p, -1, n - 1); };
  const Size first = item.begin == to_end ? n - 1 : position(item.begin);
  const Size stop = item.end == to_end ? -1 : position(item.end);
  const Size count = first > stop ? (first - stop + step - 1) / step : 0;
  const Size last = first - (count - 1) * step;  // the lowest position that is read
  const Var<T> forward =
      slice(x, count ? SliceOptions{.axis = axis, .begin = last, .end = first + 1, .step = step}
                     : SliceOptions{.axis = axis, .begin = 0, .end = 0});
  return flip(forward, axis);
}

}  // namespace

template <Scalar T>
Var<T> index(const Var<T>& x, std::initializer_list<IndexItem> items) {
  using Kind = IndexItem::Kind;
  const auto count = [&](auto what) {
    return static_cast<int>(std::count_if(items.begin(), items.end(), what));
  };
  const int open = count([](const IndexItem& i) { return i.kind == Kind::rest; });
  const int named =
      count([](const IndexItem& i) { return i.kind != Kind::rest && i.kind != Kind::new_axis; });
  if (open > 1) fail("index", "`rest` may stand once, got it ", open, " times");
  if (named > x.rank()) fail("index", "got ", named, " indices for the shape ", x.shape());
  Var<T> y = x;
  int axis = 0;  // of y
  for (const IndexItem& item : items) switch (item.kind) {
      case Kind::position: {
        const Size n = y.shape()[axis];
        if (item.begin < -n || item.begin >= n)
          fail("index", "position ", item.begin, " is out of range on an axis of size ", n,
               " of the shape ", x.shape());
        const Size at = item.begin < 0 ? item.begin + n : item.begin;
        y = slice(y, {.axis = axis, .begin = at, .end = at + 1});
        y = reshape(y, y.shape().without(1u << axis));
        break;
      }
      case Kind::range:
        y = ranged(y, axis++, item);
        break;
      case Kind::new_axis:
        y = unsqueeze(y, axis++);
        break;
      case Kind::rest:
        axis += x.rank() - named;
        break;
    }
  return y;
}

std::vector<OpEntry> indexing_family() {
  return family<take_op, gather_op, scatter_op, flip_op, index_op>();
}

template Var<float> take(const Var<float>&, const Var<float>&, Axis);
template Var<double> take(const Var<double>&, const Var<double>&, Axis);
template Var<float> take(const Var<float>&, const std::vector<Size>&, Axis);
template Var<double> take(const Var<double>&, const std::vector<Size>&, Axis);
template Var<float> gather(const Var<float>&, const Var<float>&, Axis);
template Var<double> gather(const Var<double>&, const Var<double>&, Axis);
template Var<float> scatter(const Var<float>&, const Var<float>&, Axis, Size);
template Var<double> scatter(const Var<double>&, const Var<double>&, Axis, Size);
template Var<float> flip(const Var<float>&, const Axes&);
template Var<double> flip(const Var<double>&, const Axes&);
template Var<float> one_hot(const Var<float>&, Size);
template Var<double> one_hot(const Var<double>&, Size);
template Var<float> index(const Var<float>&, std::initializer_list<IndexItem>);
template Var<double> index(const Var<double>&, std::initializer_list<IndexItem>);

}  // namespace axisgrad

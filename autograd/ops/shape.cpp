// Ops that move elements and compute nothing.
#include <numeric>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/kernels/copy.hpp>
#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/autograd/ops/family.hpp>

namespace axisgrad {
namespace {

using kernels::Index;
using Strides = std::array<Index, max_rank>;

Strides strides_of(const Shape& shape) {
  Strides strides{};
  Index step = 1;
  for (int a = shape.rank(); a-- > 0; step *= shape[a]) strides[static_cast<unsigned>(a)] = step;
  return strides;
}

// A tensor of this shape, read from x by strides.
template <class T>
Tensor<T> gathered(const Shape& shape, const T* x, const Strides& strides) {
  Tensor<T> y(shape);
  if (y.size() == 0) return y;
  Strides sizes{};
  std::copy(shape.begin(), shape.end(), sizes.begin());
  const Strides own = strides_of(shape);
  kernels::copy_strided(shape.rank(), sizes.data(), strides.data(), x, own.data(),
                        y.mutable_data());
  return y;
}

struct reshape_op {
  static constexpr std::string_view name = "reshape";
  template <Scalar T>
  static void gradient(Rule<T>& r) {
    r.add(0, reshape(r.cotangent(), r.shape(0)));
  }
  static std::vector<Sample> samples() {
    return {sample("(2,3,5) to (5,6)", {{{2, 3, 5}}},
                   [](auto x) {
                     return reshape(x[0], {5, 6});
                   }),
            sample("-1", {{{2, 3, 1}}},
                   [](auto x) {
                     return reshape(x[0], {-1, 2});
                   }),
            sample("rank 0", {{{1, 1}}}, [](auto x) { return reshape(x[0], Shape{}); }),
            sample("empty", {{{0, 3}}}, [](auto x) {
              return reshape(x[0], {3, 0, 2});
            })};
  }
};

struct Order {
  std::array<signed char, max_rank> axes;
};

struct transpose_op {
  static constexpr std::string_view name = "transpose";
  using Options = Order;
  template <Scalar T>
  static void gradient(Rule<T>& r) {
    const Order& order = r.template options<Order>();
    Order inverse{};
    for (int a = 0; a < r.cotangent().rank(); ++a)
      inverse.axes[static_cast<unsigned>(order.axes[static_cast<unsigned>(a)])] =
          static_cast<signed char>(a);
    r.add(0, apply(r.cotangent(), inverse));
  }
  template <Scalar T>
  static Var<T> apply(const Var<T>& x, const Order& order) {
    const Strides from = strides_of(x.shape());
    std::array<Size, max_rank> sizes{};
    Strides strides{};
    for (unsigned a = 0; a < static_cast<unsigned>(x.rank()); ++a) {
      sizes[a] = x.shape()[order.axes[a]];
      strides[a] = from[static_cast<unsigned>(order.axes[a])];
    }
    return record<transpose_op, T>(
        {&x}, gathered(Shape(sizes.data(), x.rank()), x.value().data(), strides), {}, order);
  }
  static std::vector<Sample> samples() {
    return {sample("(2,0,1)", {{{2, 3, 5}}},
                   [](auto x) {
                     return transpose(x[0], {2, 0, 1});
                   }),
            sample("(0,2,1)", {{{2, 1, 5}}},
                   [](auto x) {
                     return transpose(x[0], {0, -1, 1});
                   }),
            sample("swap 0 and 2", {{{2, 3, 5}}}, [](auto x) { return swap_axes(x[0], 0, 2); }),
            sample("rank 0", {{{}}}, [](auto x) { return transpose(x[0], Axes::of(0)); }),
            sample("empty", {{{0, 3}}}, [](auto x) { return swap_axes(x[0], 0, 1); })};
  }
};

struct expand_op {
  static constexpr std::string_view name = "expand";
  template <Scalar T>
  static void gradient(Rule<T>& r) {
    r.add(0, sum_to(r.cotangent(), r.shape(0)));
  }
  static std::vector<Sample> samples() {
    return {sample("a row", {{{5}}},
                   [](auto x) {
                     return expand(x[0], {2, 3, 5});
                   }),
            sample("a column", {{{3, 1}}},
                   [](auto x) {
                     return expand(x[0], {2, 3, 5});
                   }),
            sample("axis 1", {{{2, 1, 5}}},
                   [](auto x) {
                     return expand(x[0], {2, 3, 5});
                   }),
            sample("a scalar", {{{}}},
                   [](auto x) {
                     return expand(x[0], {2, 3});
                   }),
            sample("to an empty axis", {{{1, 3}}}, [](auto x) {
              return expand(x[0], {0, 3});
            })};
  }
};

// Where a slice lies: positions begin, begin + step, ...: `count` of `size`.
struct Part {
  int axis;
  Size begin, step, count, size;
};

Part part_of(const SliceOptions& o, int axis, Size size, std::string_view where) {
  if (o.step < 1) fail(where, "the step must be at least 1, got ", o.step);
  auto position = [&](Size p) { return std::clamp<Size>(p < 0 ? p + size : p, 0, size); };
  const Size begin = position(o.begin), end = std::max(begin, position(o.end));
  const Size step = std::min(o.step, std::max<Size>(size, 1));  // beyond the axis all are equal
  return {axis, begin, step, (end - begin + step - 1) / step, size};
}

struct slice_op {
  static constexpr std::string_view name = "slice";
  using Options = Part;
  template <Scalar T>
  static void gradient(Rule<T>& r);
  template <Scalar T>
  static Var<T> apply(const Var<T>& x, const Part& p) {
    Strides strides = strides_of(x.shape());
    Index& step = strides[static_cast<unsigned>(p.axis)];
    const T* first = x.value().data() + (p.count ? p.begin * step : 0);
    step *= p.step;
    return record<slice_op, T>({&x}, gathered(x.shape().with(p.axis, p.count), first, strides), {},
                               p);
  }
  static std::vector<Sample> samples() {
    return {sample("middle of axis 1", {{{2, 5, 3}}},
                   [](auto x) { return slice(x[0], {.axis = 1, .begin = 1, .end = 4}); }),
            sample("every other", {{{2, 3, 5}}},
                   [](auto x) { return slice(x[0], {.axis = -1, .begin = 1, .step = 2}); }),
            sample("the last of axis 0", {{{4, 1, 3}}},
                   [](auto x) { return slice(x[0], {.axis = 0, .begin = -1}); }),
            sample("nothing", {{{2, 3}}},
                   [](auto x) { return slice(x[0], {.axis = 1, .begin = 2, .end = 2}); })};
  }
};

struct embed_op {
  static constexpr std::string_view name = "embed";
  using Options = Part;
  template <Scalar T>
  static void gradient(Rule<T>& r) {
    r.add(0, slice_op::apply(r.cotangent(), r.template options<Part>()));
  }
  template <Scalar T>
  static Var<T> apply(const Var<T>& x, const Part& p) {
    const Shape shape = x.shape().with(p.axis, p.size);
    Tensor<T> y(shape, T(0));
    if (x.size() > 0) {
      Strides sizes{}, to = strides_of(shape);
      const Strides from = strides_of(x.shape());
      std::copy(x.shape().begin(), x.shape().end(), sizes.begin());
      Index& step = to[static_cast<unsigned>(p.axis)];
      T* first = y.mutable_data() + p.begin * step;
      step *= p.step;
      kernels::copy_strided(shape.rank(), sizes.data(), from.data(), x.value().data(), to.data(),
                            first);
    }
    return record<embed_op, T>({&x}, y, {}, p);
  }
  static std::vector<Sample> samples() {
    return {sample("axis 1", {{{2, 3, 5}}},
                   [](auto x) { return embed(x[0], {.axis = 1, .begin = 2}, 5); }),
            sample("every other", {{{2, 1, 3}}},
                   [](auto x) { return embed(x[0], {.axis = 2, .begin = 1, .step = 2}, 6); })};
  }
};

template <Scalar T>
void slice_op::gradient(Rule<T>& r) {
  r.add(0, embed_op::apply(r.cotangent(), r.template options<Part>()));
}

struct concat_op {
  static constexpr std::string_view name = "concat";
  struct Options {
    int axis;
  };
  template <Scalar T>
  static void gradient(Rule<T>& r) {
    const int axis = r.template options<Options>().axis;
    const Var<T> g = r.cotangent();
    Size begin = 0;
    for (int k = 0; k < r.inputs(); ++k) {
      const Size n = r.shape(k)[axis];
      if (r.needs(k)) r.add(k, slice(g, {.axis = axis, .begin = begin, .end = begin + n}));
      begin += n;
    }
  }
  static std::vector<Sample> samples() {
    return {sample("axis 1", {{{2, 3, 5}}, {{2, 1, 5}}, {{2, 4, 5}}},
                   [](auto x) { return concat(std::vector(x.begin(), x.end()), 1); }),
            sample("axis -1", {{{2, 3}}, {{2, 5}}},
                   [](auto x) { return concat(std::vector(x.begin(), x.end()), -1); }),
            sample("an empty part", {{{2, 3}}, {{0, 3}}},
                   [](auto x) { return concat(std::vector(x.begin(), x.end()), 0); })};
  }
};

}  // namespace

template <Scalar T>
Var<T> reshape(const Var<T>& x, const Shape& shape) {
  if (shape == x.shape()) return x;
  return record<reshape_op, T>({&x}, x.value().reshaped(shape));
}

template <Scalar T>
Var<T> reshape(const Var<T>& x, std::initializer_list<Size> sizes) {
  std::array<Size, max_rank> known{};
  const int rank = static_cast<int>(sizes.size());
  if (rank > max_rank) fail("reshape", "at most ", max_rank, " axes, got ", rank);
  std::copy(sizes.begin(), sizes.end(), known.begin());
  for (Size n : sizes)
    if (n < -1) fail("reshape", "a size is ", n, ": only -1 stands for one to be worked out");
  const auto open = std::find(known.begin(), known.begin() + rank, -1);
  if (open != known.begin() + rank) {
    if (std::count(open, known.begin() + rank, -1) > 1)
      fail("reshape", "one size at most may be -1, got ",
           std::count(open, known.begin() + rank, -1));
    *open = 1;
    const Size rest = Shape(known.data(), rank).size();
    if (rest == 0 || x.size() % rest != 0)
      fail("reshape", "no size in place of -1 fits: ", x.shape(), " has ", x.size(),
           " elements, the other sizes make ", rest);
    *open = x.size() / rest;
  }
  return reshape(x, Shape(known.data(), rank));
}

template <Scalar T>
Var<T> transpose(const Var<T>& x, const Axes& axes) {
  Order order{};
  unsigned seen = 0;
  int count = 0;
  for (int number : axes) {
    const int a = resolve(Axis(number), x.rank(), "transpose");
    seen |= 1u << a;
    order.axes[static_cast<unsigned>(count++)] = static_cast<signed char>(a);
  }
  if (axes.all() || count != x.rank() || seen != (1u << x.rank()) - 1)
    fail("transpose", "the order must name each of the ", x.rank(), " axes of ", x.shape(),
         " once");
  return transpose_op::apply(x, order);
}

template <Scalar T>
Var<T> swap_axes(const Var<T>& x, Axis a, Axis b) {
  Order order{};
  std::iota(order.axes.begin(), order.axes.end(), static_cast<signed char>(0));
  std::swap(order.axes[static_cast<unsigned>(resolve(a, x.rank(), "swap_axes"))],
            order.axes[static_cast<unsigned>(resolve(b, x.rank(), "swap_axes"))]);
  return transpose_op::apply(x, order);
}

template <Scalar T>
Var<T> expand(const Var<T>& x, const Shape& shape) {
  if (shape == x.shape()) return x;
  if (x.value().empty()) fail("expand", "the input is empty: it has no value");
  if (!broadcasts_to(x.shape(), shape)) fail("expand", x.shape(), " does not broadcast to ", shape);
  Strides strides{};
  const Strides own = strides_of(x.shape());
  for (int i = 1; i <= x.rank(); ++i)
    if (x.shape()[x.rank() - i] != 1)
      strides[static_cast<unsigned>(shape.rank() - i)] = own[static_cast<unsigned>(x.rank() - i)];
  return record<expand_op, T>({&x}, gathered(shape, x.value().data(), strides));
}

template <Scalar T>
Var<T> slice(const Var<T>& x, SliceOptions options) {
  const int axis = resolve(options.axis, x.rank(), "slice");
  return slice_op::apply(x, part_of(options, axis, x.shape()[axis], "slice"));
}

template <Scalar T>
Var<T> embed(const Var<T>& x, SliceOptions options, Size size) {
  const int axis = resolve(options.axis, x.rank(), "embed");
  Part part = part_of(options, axis, size, "embed");
  const Size count = x.shape()[axis];
  if (count > part.count)
    fail("embed", count, " positions of ", x.shape(), " do not fit on axis ", axis,
         ": there is room for ", part.count);
  part.count = count;
  return embed_op::apply(x, part);
}

namespace {

// `inputs` has room for a pointer to each of xs.
template <Scalar T>
Var<T> joined(std::span<const Var<T>> xs, Axis axis, const Var<T>** inputs) {
  if (xs.empty()) fail("concat", "nothing to join");
  const Shape& first = xs[0].shape();
  const int a = resolve(axis, first.rank(), "concat");
  Size total = 0;
  std::size_t count = 0;
  for (const Var<T>& x : xs) {
    if (x.rank() != first.rank() || x.shape().with(a, 0) != first.with(a, 0))
      fail("concat", "shapes differ beside axis ", a, ": got ", first, " and ", x.shape());
    total += x.shape()[a];
    inputs[count++] = &x;
  }
  Tensor<T> y(first.with(a, total));
  const Size rows = first.product(0, a), inner = first.product(a + 1, first.rank());
  T* to = y.mutable_data();
  for (const Var<T>& x : xs) {
    const Size length = x.shape()[a] * inner;
    for (Size r = 0; r < rows; ++r)
      std::copy_n(x.value().data() + r * length, length, to + r * total * inner);
    to += length;
  }
  return record<concat_op, T>(Inputs<T>(inputs, count), y, {}, {a});
}

}  // namespace

template <Scalar T>
Var<T> concat(const std::vector<Var<T>>& xs, Axis axis) {
  std::vector<const Var<T>*> inputs(xs.size());
  return joined<T>(xs, axis, inputs.data());
}
// A few: a training step asks the system for no memory.
template <Scalar T>
Var<T> concat(std::initializer_list<Var<T>> xs, Axis axis) {
  std::array<const Var<T>*, 8> inputs;
  if (xs.size() > inputs.size()) return concat(std::vector<Var<T>>(xs), axis);
  return joined<T>({xs.begin(), xs.size()}, axis, inputs.data());
}

std::vector<OpEntry> shape_family() {
  return family<reshape_op, transpose_op, expand_op, slice_op, embed_op, concat_op>();
}

template Var<float> reshape(const Var<float>&, const Shape&);
template Var<double> reshape(const Var<double>&, const Shape&);
template Var<float> reshape(const Var<float>&, std::initializer_list<Size>);
template Var<double> reshape(const Var<double>&, std::initializer_list<Size>);
template Var<float> transpose(const Var<float>&, const Axes&);
template Var<double> transpose(const Var<double>&, const Axes&);
template Var<float> swap_axes(const Var<float>&, Axis, Axis);
template Var<double> swap_axes(const Var<double>&, Axis, Axis);
template Var<float> expand(const Var<float>&, const Shape&);
template Var<double> expand(const Var<double>&, const Shape&);
template Var<float> slice(const Var<float>&, SliceOptions);
template Var<double> slice(const Var<double>&, SliceOptions);
template Var<float> embed(const Var<float>&, SliceOptions, Size);
template Var<double> embed(const Var<double>&, SliceOptions, Size);
template Var<float> concat(const std::vector<Var<float>>&, Axis);
template Var<float> concat(std::initializer_list<Var<float>>, Axis);
template Var<double> concat(std::initializer_list<Var<double>>, Axis);
template Var<double> concat(const std::vector<Var<double>>&, Axis);

}  // namespace axisgrad

// The engine of pointwise ops: broadcasting, the split into runs, sums back to the inputs' shapes.
// The loops are in the kernels.
#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/kernels/parallel.hpp>
#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/autograd/ops/family.hpp>
#include <axisgrad/autograd/ops/pointwise.hpp>

namespace axisgrad {
namespace detail {
namespace {

using kernels::Index;

// Up to four inputs broadcast to one shape, with axes merged where all of them can be walked in one
// stride.
struct Walk {
  int inputs;
  int rank = 0;
  std::array<Index, max_rank> sizes{};
  std::array<std::array<Index, max_rank>, 4> strides{};

  Walk(const Shape& out, std::span<const Shape* const> shapes)
      : inputs(static_cast<int>(shapes.size())) {
    std::array<Index, 4> step{1, 1, 1, 1};
    for (int i = 1; i <= out.rank(); ++i) {  // from the last axis
      const Index n = out[out.rank() - i];
      std::array<Index, 4> stride{};
      for (unsigned k = 0; k < shapes.size(); ++k) {
        const Shape& s = *shapes[k];
        const Index own = i <= s.rank() ? s[s.rank() - i] : 1;
        stride[k] = own == 1 ? 0 : step[k];
        step[k] *= own;
      }
      if (n != 1) push(n, stride);
    }
    if (rank == 0) push(1, {});
  }
  // Elements of the innermost axis, and how often it is walked.
  Index n() const { return sizes[0]; }
  Index rows() const {
    Index r = 1;
    for (unsigned a = 1; a < static_cast<unsigned>(rank); ++a) r *= sizes[a];
    return r;
  }

 private:
  void push(Index n, const std::array<Index, 4>& stride) {
    bool merges = rank > 0;
    const auto last = static_cast<unsigned>(rank - 1);
    for (unsigned k = 0; merges && k < 4; ++k) merges = stride[k] == strides[k][last] * sizes[last];
    if (merges) {
      sizes[last] *= n;
      return;
    }
    sizes[static_cast<unsigned>(rank)] = n;
    for (unsigned k = 0; k < 4; ++k) strides[k][static_cast<unsigned>(rank)] = stride[k];
    ++rank;
  }
};

// Elements of one task, and from how many on there is more than one: waking a thread costs as much
// as some 100,000 elements.
constexpr Index chunk = Index(1) << 16, parallel_from = Index(1) << 18;

// Calls each(run, offset): the run's inputs are set, its output begins at `offset`.
template <class T, class Each>
void for_each_run(const Walk& walk, const std::array<const T*, 4>& in, const Each& each) {
  const Index n = walk.n(), rows = walk.rows(), inner_rows = walk.rank > 1 ? walk.sizes[1] : 1;
  auto part = [&](Index row, Index count, Index begin, Index length) {
    kernels::Run<T> run;
    run.rows = count, run.n = length;
    for (unsigned k = 0; k < static_cast<unsigned>(walk.inputs); ++k) {
      Index offset = begin * walk.strides[k][0], rest = row;
      for (unsigned a = 1; a < static_cast<unsigned>(walk.rank); ++a) {
        offset += rest % walk.sizes[a] * walk.strides[k][a];
        rest /= walk.sizes[a];
      }
      run.in[k] = in[k] + offset;
      run.step[k] = walk.strides[k][0];
      run.row_step[k] = walk.rank > 1 ? walk.strides[k][1] : 0;
    }
    each(run, row * n + begin);
  };
  if (n == 0 || rows == 0) return;
  const bool serial = rows * n < parallel_from;
  if (!serial && n >= chunk)
    return kernels::parallel_chunks(rows * n, chunk, [&](Index first, Index last) {
      while (first < last) {
        const Index row = first / n, begin = first % n, length = std::min(n - begin, last - first);
        part(row, 1, begin, length);
        first += length;
      }
    });
  kernels::parallel_chunks(
      rows, serial ? rows : std::max<Index>(1, chunk / n), [&](Index first, Index last) {
        while (first < last) {
          const Index count = std::min(inner_rows - first % inner_rows, last - first);
          part(first, count, 0, n);
          first += count;
        }
      });
}

template <class T>
const kernels::Pointwise<T>& loops(const PointwiseOp<T>& op) {
  return op.own ? *op.own : kernels::table<T>().pointwise[op.index];
}

// Small tensors of one shape, or of one element: a single run, none of the machinery above. False
// when it takes more than that. `shape` is the result's.
template <class T>
bool single_run(const Shape& shape, std::span<const Shape* const> shapes, kernels::Run<T>& run) {
  run.n = shape.size();
  if (run.n >= parallel_from) return false;
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    const Shape& s = *shapes[k];
    if (s.size() == 1 && s.rank() <= shape.rank())
      run.step[k] = run.n == 1;
    else if (s == shape)
      run.step[k] = 1;
    else
      return false;
  }
  return true;
}

}  // namespace

template <Scalar T>
Tensor<T> pointwise_value(const PointwiseOp<T>& op, Inputs<T> inputs) {
  std::array<const Shape*, 4> given{};
  kernels::Run<T> single;
  const Shape* largest = &inputs[0]->shape();
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    if (inputs[k]->value().empty()) fail(op.info.name, "input ", k, " is empty: it has no value");
    given[k] = &inputs[k]->shape(), single.in[k] = inputs[k]->value().data();
    if (given[k]->size() > largest->size() || given[k]->rank() > largest->rank())
      largest = given[k];
  }
  if (single_run<T>(*largest, {given.data(), inputs.size()}, single)) {
    Tensor<T> y(*largest);
    single.out = y.mutable_data();
    loops(op).value(single);
    return y;
  }
  Shape out = inputs[0]->shape();
  for (std::size_t k = 1; k < inputs.size(); ++k) out = broadcast(out, *given[k], op.info.name);
  Tensor<T> y(out);
  T* to = y.mutable_data();
  const auto& value = loops(op).value;
  for_each_run<T>(Walk(out, {given.data(), inputs.size()}), single.in,
                  [&](kernels::Run<T>& run, Index offset) {
                    run.out = to + offset;
                    value(run);
                  });
  return y;
}

namespace {

// `Most` inputs: what is made for each is not made four times where there are one or two.
template <std::size_t Most, Scalar T>
void gradient_of(const PointwiseOp<T>& op, Rule<T>& rule, int inputs) {
  static const T unused = 0;  // what the loops read of an input that was not saved
  static const Shape scalar;
  unsigned needed = 0;
  for (int i = 0; i < inputs; ++i) needed |= unsigned(rule.needs(i)) << i;
  const Tensor<T>& g = rule.cotangent_value();
  std::array<Tensor<T>, Most> dx;
  if (needed & ~op.passes) {
    const T* y = op.saves.outputs ? rule.output_value().data() : nullptr;
    std::array<const Shape*, Most> shapes{};
    kernels::Run<T> single;
    std::array<T*, 4> to{};
    for (int i = 0; i < inputs; ++i) {
      const auto k = static_cast<unsigned>(i);
      const bool saved = op.saves.inputs >> k & 1;
      shapes[k] = saved ? &rule.input_value(i).shape() : &scalar;
      single.in[k] = saved ? rule.input_value(i).data() : &unused;
      if (!(needed & ~op.passes & 1u << k)) continue;
      dx[k] = Tensor<T>(g.shape());
      to[k] = dx[k].mutable_data();
    }
    const auto& gradient = loops(op).gradient;
    const std::span<const Shape* const> given(shapes.data(), static_cast<unsigned>(inputs));
    if (single_run<T>(g.shape(), given, single))
      gradient(single, g.data(), y, to);
    else
      for_each_run<T>(Walk(g.shape(), given), single.in,
                      [&](const kernels::Run<T>& run, Index offset) {
                        std::array<T*, 4> part{};
                        for (unsigned k = 0; k < 4; ++k)
                          if (to[k]) part[k] = to[k] + offset;
                        gradient(run, g.data() + offset, y ? y + offset : nullptr, part);
                      });
  }
  for (unsigned k = 0; k < Most; ++k)
    if (needed & op.passes & 1u << k) dx[k] = g;
  for (int i = 0; i < inputs; ++i) {
    if (!(needed >> i & 1)) continue;
    Tensor<T>& d = dx[static_cast<unsigned>(i)];
    if (rule.has_shape(i, d.shape()))
      rule.add(i, std::move(d));
    else
      rule.add(i, sum_to(Var<T>(std::move(d)), rule.shape(i)));
  }
}

}  // namespace

template <Scalar T>
void pointwise_gradient(const PointwiseOp<T>& op, Rule<T>& rule, int inputs) {
  inputs == 1   ? gradient_of<1>(op, rule, inputs)
  : inputs == 2 ? gradient_of<2>(op, rule, inputs)
                : gradient_of<4>(op, rule, inputs);
}

namespace {

template <Scalar T, class... Ops>
const PointwiseOp<T>& library_op(list<Ops...>, int index) {
  static const std::array<PointwiseOp<T>, sizeof...(Ops)> ops{
      PointwiseOp<T>{{Ops::name, rule_of<Ops, T>},
                     saves_of<Ops>(std::make_index_sequence<arity<Ops>>()),
                     passes_of<Ops>(std::make_index_sequence<arity<Ops>>()),
                     nullptr,
                     index_of<Ops, pointwise_ops>}...};
  return ops[static_cast<unsigned>(index)];
}

}  // namespace

template <Scalar T>
const PointwiseOp<T>& library_op(int index) {
  return library_op<T>(pointwise_ops{}, index);
}

template Tensor<float> pointwise_value(const PointwiseOp<float>&, Inputs<float>);
template Tensor<double> pointwise_value(const PointwiseOp<double>&, Inputs<double>);
template void pointwise_gradient(const PointwiseOp<float>&, Rule<float>&, int);
template void pointwise_gradient(const PointwiseOp<double>&, Rule<double>&, int);
template const PointwiseOp<float>& library_op(int);
template const PointwiseOp<double>& library_op(int);

}  // namespace detail

namespace {

template <class Op, std::size_t... K>
OpEntry entry(std::index_sequence<K...>) {
  auto apply = [](auto x) { return pointwise<Op>(x[K]...); };
  std::vector<Sample> samples;
  for (auto& shapes : pointwise_sample_shapes(detail::arity<Op>)) {
    std::vector<SampleInput> inputs;
    for (std::size_t k = 0; k < shapes.size(); ++k) inputs.push_back({shapes[k], Op::samples[k]});
    samples.push_back(sample("", std::move(inputs), apply));
  }
  return {Op::name, Kind::pointwise, std::move(samples), differentiable<Op>};
}
template <class... Ops>
std::vector<OpEntry> entries(list<Ops...>) {
  return {entry<Ops>(std::make_index_sequence<detail::arity<Ops>>())...};
}

}  // namespace

std::vector<OpEntry> pointwise_family() { return entries(pointwise_ops{}); }

}  // namespace axisgrad

#include <algorithm>
#include <cmath>
#include <vector>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/random.hpp>
#include <axisgrad/nn/module.hpp>

// Values are made in double, whatever the parameter's scalar: a float model starts from the rounded
// values of its double twin.
namespace axisgrad {
namespace {

using Values = std::vector<double>;

// What an initial value may depend on.
struct Request {
  const std::string& name;
  const Shape& shape;
  Init init;
  Fans fans;
  RandomStream random;
};

// As Keras counts: the last two axes are inputs and outputs, those before them a receptive field
// that multiplies both.
Fans fans_of(const Request& r) {
  const int rank = r.shape.rank();
  Fans f{1, 1};
  if (rank == 1) f.in = f.out = static_cast<double>(r.shape[0]);
  if (rank >= 2) {
    const auto field = static_cast<double>(r.shape.product(0, rank - 2));
    f.in = static_cast<double>(r.shape[rank - 2]) * field;
    f.out = static_cast<double>(r.shape[rank - 1]) * field;
  }
  if (r.fans.in > 0) f.in = r.fans.in;
  if (r.fans.out > 0) f.out = r.fans.out;
  return f;
}

Values uniform(const Request& r, double limit) {
  Values v(static_cast<std::size_t>(r.shape.size()));
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = (2 * r.random.uniform(i) - 1) * limit;
  return v;
}

// U(-l, l) with l = sqrt(6 / (in + out)): Glorot and Bengio (2010), equation 16.
Values glorot_uniform(const Request& r) {
  const Fans f = fans_of(r);
  return uniform(r, std::sqrt(6 / (f.in + f.out)));
}

// U(-l, l) with l = 1 / sqrt(in), as PyTorch's Linear and LSTM begin.
Values torch_uniform(const Request& r) {
  if (r.shape.rank() < 2 && !(r.fans.in > 0))
    fail("initialise", "'", r.name, "' of shape ", r.shape,
         " has no fan in of its own for torch_uniform: give Fans{.in}");
  return uniform(r, 1 / std::sqrt(fans_of(r).in));
}

// Q of the thin QR decomposition of a row-major a (rows >= cols), with the signs that make the
// diagonal of R positive, so that Q is uniform among the orthogonal matrices when a is normal.
// Householder: reflection k maps what is left of column k onto its first axis.
Values orthonormal_columns(Values a, std::size_t rows, std::size_t cols) {
  Values v(rows * cols), sign(cols), w(cols);  // v: reflection k in row k, of length sqrt(2)
  const auto reflect = [&](Values& m,
                           std::size_t k) {  // rows and columns from k on: m -= v (v^T m)
    std::fill(w.begin(), w.end(), 0.0);
    for (std::size_t i = k; i < rows; ++i)
      for (std::size_t j = k; j < cols; ++j) w[j] += v[k * rows + i] * m[i * cols + j];
    for (std::size_t i = k; i < rows; ++i)
      for (std::size_t j = k; j < cols; ++j) m[i * cols + j] -= v[k * rows + i] * w[j];
  };
  for (std::size_t k = 0; k < cols; ++k) {
    double squares = 0;
    for (std::size_t i = k; i < rows; ++i) squares += a[i * cols + k] * a[i * cols + k];
    const double norm = std::sqrt(squares), head = a[k * cols + k];
    sign[k] = head > 0 ? -1 : 1;  // of R's diagonal: the choice without cancellation
    if (squares > 0) {
      // v = x - sign |x| e_1 has v^T v = 2 |x| (|x| + |x_1|)
      const double scale = 1 / std::sqrt(norm * (norm + std::abs(head)));
      for (std::size_t i = k; i < rows; ++i) v[k * rows + i] = a[i * cols + k] * scale;
      v[k * rows + k] = (head - sign[k] * norm) * scale;
    }
    reflect(a, k);
  }
  Values q(rows * cols, 0.0);
  for (std::size_t k = 0; k < cols; ++k) q[k * cols + k] = sign[k];
  for (std::size_t k = cols; k-- > 0;) reflect(q, k);
  return q;
}

// The last axis against all others, as in Keras; a wide matrix gets orthonormal rows.
Values orthogonal(const Request& r) {
  const int rank = r.shape.rank();
  if (rank < 2)
    fail("initialise", "'", r.name,
         "' is to be orthogonal, which needs rank 2 or more, got the shape ", r.shape);
  const auto rows = static_cast<std::size_t>(r.shape.product(0, rank - 1));
  const auto cols = static_cast<std::size_t>(r.shape[rank - 1]);
  const std::size_t tall = std::max(rows, cols), narrow = std::min(rows, cols);
  Values a(tall * narrow);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = r.random.normal(i);
  const Values q = orthonormal_columns(std::move(a), tall, narrow);
  if (rows >= cols) return q;
  Values transposed(q.size());
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j) transposed[i * cols + j] = q[j * rows + i];
  return transposed;
}

// Gates i, f, g, o: ones on f, so that an LSTM begins by remembering.
Values lstm_bias(const Request& r) {
  if (r.shape.rank() != 1 || r.shape[0] % 4 != 0)
    fail("initialise", "'", r.name,
         "' is to be the bias of four gates, which needs the shape (4 units), got ", r.shape);
  const auto units = r.shape[0] / 4;
  Values v(static_cast<std::size_t>(4 * units), 0.0);
  std::fill(v.begin() + units, v.begin() + 2 * units, 1.0);
  return v;
}

Values values_of(const Request& r) {
  const auto n = static_cast<std::size_t>(r.shape.size());
  switch (r.init) {
    case Init::zeros:
      return Values(n, 0.0);
    case Init::ones:
      return Values(n, 1.0);
    case Init::glorot_uniform:
      return glorot_uniform(r);
    case Init::torch_uniform:
      return torch_uniform(r);
    case Init::orthogonal:
      return orthogonal(r);
    case Init::lstm_bias:
      return lstm_bias(r);
  }
  fail("initialise", "'", r.name, "' has an unknown kind of initial values, number ",
       static_cast<int>(r.init));
}

RandomStream stream_of(std::uint64_t seed, const std::string& name, const Shape& shape) {
  std::uint64_t key = mix_keys(seed, key_of(name));
  for (Size n : shape) key = mix_keys(key, static_cast<std::uint64_t>(n));
  return RandomStream(key);
}

template <class T>
void require_distinct_names(const Parameters<T>& parameters) {
  std::vector<std::string_view> names;
  for (const Parameter<T>* p : parameters) names.push_back(p->name());
  std::sort(names.begin(), names.end());
  if (!names.empty() && names.front().empty())
    fail("initialise", "a parameter has no name: list the parameters by parameters(model)");
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end())
    fail("initialise", "two parameters are named '", *twice,
         "': list them by one call of parameters()");
}

}  // namespace

template <Scalar T>
void initialise(const Parameters<T>& parameters, std::uint64_t seed) {
  require_distinct_names(parameters);
  std::vector<Tensor<T>> values;  // all of them before the first is set: an error changes nothing
  for (const Parameter<T>* p : parameters) {
    const Values v = values_of(
        {p->name(), p->shape(), p->init(), p->fans(), stream_of(seed, p->name(), p->shape())});
    Tensor<T>& x = values.emplace_back(p->shape());
    std::transform(v.begin(), v.end(), x.mutable_data(),
                   [](double y) { return static_cast<T>(y); });
  }
  for (std::size_t i = 0; i < values.size(); ++i) parameters[i]->set_value(std::move(values[i]));
}

template void initialise(const Parameters<float>&, std::uint64_t);
template void initialise(const Parameters<double>&, std::uint64_t);

}  // namespace axisgrad

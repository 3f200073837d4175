#include <algorithm>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/nn/weights/torch_list.hpp>

namespace axisgrad::detail {
namespace {

constexpr std::string_view who = "torch";

template <Scalar T>
Tensor<T> to_torch(const Tensor<T>& x, const TorchPiece<T>& piece) {
  if (piece.in == 0) return x.reshaped(piece.shape);
  const Tensor<T> matrix = x.reshaped({piece.in, piece.shape[0]});
  return swap_axes(constant(matrix), 0, 1).value();
}

template <Scalar T>
Tensor<T> from_torch(const Tensor<T>& x, const TorchPiece<T>& piece) {
  const Shape& shape = piece.parameter->shape();
  return piece.in == 0 ? x.reshaped(shape) : swap_axes(constant(x), 0, 1).value().reshaped(shape);
}

// Whether `path` is `part` or stands below it.
bool belongs(const std::string& path, const std::string& part) {
  return part.empty() || path == part || (path.starts_with(part) && path[part.size()] == '.');
}

}  // namespace

template <Scalar T>
void TorchList<T>::enter(const std::string& path) {
  met_.insert(path);
}

template <Scalar T>
const TorchModule* TorchList<T>::find(const std::string& path) const {
  const TorchModule* best = nullptr;
  for (const TorchModule& m : options_.modules)
    if (belongs(path, m.path) && (!best || m.path.size() > best->path.size())) best = &m;
  return best;
}

template <Scalar T>
std::string TorchList<T>::name(const std::string& path, const std::string& below) const {
  std::string name = path;
  if (const TorchModule* m = find(path)) {
    const std::size_t rest = std::min(path.size(), m->path.size() + (m->path.empty() ? 0 : 1));
    name = m->torch;
    if (rest < path.size()) name += (name.empty() ? "" : ".") + path.substr(rest);
  }
  return name.empty() || below.empty() ? name + below : name + "." + below;
}

template <Scalar T>
int TorchList<T>::layer(const std::string& path) const {
  const TorchModule* m = find(path);
  return m ? m->layer : 0;
}

template <Scalar T>
void TorchList<T>::add(std::vector<std::string> names, std::vector<TorchPiece<T>> pieces) {
  Shape shape = pieces[0].shape;
  for (std::size_t i = 1; i < pieces.size(); ++i)
    shape = shape.with(0, shape[0] + pieces[i].shape[0]);
  for (const std::string& name : names)
    for (const Entry& entry : entries_)
      if (std::count(entry.names.begin(), entry.names.end(), name))
        fail(who, "two parts of the model would both have the array '", name, "'");
  entries_.push_back({std::move(names), std::move(pieces), shape});
}

template <Scalar T>
void TorchList<T>::require_all_used() const {
  for (const TorchModule& m : options_.modules)
    if (!met_.contains(m.path)) {
      std::string known;
      for (const std::string& path : met_)
        if (!path.empty()) known += (known.empty() ? "" : ", ") + path;
      fail(who, "the model has no part '", m.path, "'; it has ", known);
    }
}

template <Scalar T>
LoadReport TorchList<T>::load(const std::filesystem::path& path, const LoadOptions& options) const {
  const ArrayFile file = read_arrays(path);
  std::vector<NameAndShape> expected;
  for (const Entry& entry : entries_)
    for (const std::string& name : entry.names) expected.emplace_back(name, entry.shape);
  LoadReport report = compare(file, expected);
  require_fit(report, path, options);

  std::vector<std::pair<Parameter<T>*, Tensor<T>>> values;
  for (const Entry& entry : entries_) {
    Var<T> sum(Tensor<T>(entry.shape, T(0)));
    if (!std::all_of(entry.names.begin(), entry.names.end(),
                     [&](const std::string& name) { return file.contains(name); }))
      continue;
    for (const std::string& name : entry.names) sum = sum + constant(file.tensor<T>(name));
    Size row = 0;
    for (const TorchPiece<T>& piece : entry.pieces) {
      const Size next = row + piece.shape[0];
      const auto rows = slice(sum, {.axis = 0, .begin = row, .end = next}).value();
      values.emplace_back(piece.parameter, from_torch(rows, piece));
      row = next;
    }
    report.loaded += static_cast<Size>(entry.names.size());
  }
  for (auto& [parameter, value] : values) parameter->set_value(std::move(value));
  return report;
}

template <Scalar T>
ArrayFile TorchList<T>::arrays(TorchContent content) const {
  const bool values = content == TorchContent::values;
  ArrayFile file;
  for (const Entry& entry : entries_) {
    std::vector<Var<T>> pieces;
    for (const TorchPiece<T>& piece : entry.pieces) {
      const Parameter<T>& p = *piece.parameter;
      const Tensor<T>& x = values ? p.value() : p.grad();
      if (x.empty())
        fail(who, "the part of '", entry.names[0], "' of shape ", p.shape(), " has no ",
             values ? "value" : "gradient", " yet");
      pieces.push_back(constant(to_torch(x, piece)));
    }
    const Tensor<T> whole = concat(pieces, 0).value();
    for (std::size_t i = 0; i < entry.names.size(); ++i)
      file.add(entry.names[i], values && i > 0 ? Tensor<T>(entry.shape, T(0)) : whole);
  }
  return file;
}

void require_torch_attention(const std::string& path, const MultiHeadAttentionOptions& o) {
  if (o.num_heads * o.key_dim != o.embed_size || o.value_dim != o.key_dim ||
      o.output_dim != o.embed_size)
    fail(who, "'", path, "' is no nn.MultiheadAttention, which has key_dim = value_dim = ",
         "embed_size / num_heads and output_dim = embed_size: got key_dim = ", o.key_dim,
         ", value_dim = ", o.value_dim, ", embed_size = ", o.embed_size,
         ", num_heads = ", o.num_heads, ", output_dim = ", o.output_dim);
}

template class TorchList<float>;
template class TorchList<double>;

}  // namespace axisgrad::detail

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/nn/weights/keras.hpp>

namespace axisgrad {
namespace {

constexpr std::string_view who = "keras";

std::vector<std::string> parts_of(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

// The number of arr_7.
std::optional<std::size_t> number_of(std::string_view name) {
  if (!name.starts_with("arr_")) return {};
  std::size_t n = 0;
  const char *begin = name.data() + 4, *end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(begin, end, n);
  return error == std::errc() && stop == end && begin != end ? std::optional(n) : std::nullopt;
}

// Arrays in the order of get_weights().
struct Ordered {
  std::vector<const StoredArray*> arrays;
  bool numbered = true;
};
Ordered in_keras_order(const ArrayFile& file) {
  Ordered order;
  for (const StoredArray& array : file.arrays()) {
    order.arrays.push_back(&array);
    order.numbered = order.numbered && number_of(array.name);
  }
  if (order.numbered)
    std::sort(order.arrays.begin(), order.arrays.end(),
              [](auto* a, auto* b) { return number_of(a->name) < number_of(b->name); });
  else if (file.format() != "npz")
    fail(who, file.source(), " names its arrays by path, and its format keeps no order: write ",
         ".npz, or name them arr_0, arr_1, ...");
  return order;
}

// Which parameter of its layer a name stands for: its end, with what is in front of it where Keras
// gives that a fixed name.
std::string role(const std::string& name) {
  const auto parts = parts_of(name, '.');
  const std::string& last = parts.back();
  if (parts.size() < 2) return last;
  const std::string& before = parts[parts.size() - 2];
  constexpr std::array<std::string_view, 6> fixed{"query",   "key",     "value", "attention_output",
                                                  "forward", "backward"};
  return std::count(fixed.begin(), fixed.end(), before) ? before + "." + last : last;
}

template <Scalar T>
std::string differences(const Ordered& file, const Parameters<T>& parameters) {
  std::ostringstream text;
  for (std::size_t i = 0; i < std::max(file.arrays.size(), parameters.size()); ++i) {
    if (i >= file.arrays.size()) {
      text << "; " << parameters[i]->name() << " is missing";
      continue;
    }
    const StoredArray& array = *file.arrays[i];
    if (i >= parameters.size()) {
      text << "; " << array.name << ' ' << array.shape << " is left over";
      continue;
    }
    const Parameter<T>& p = *parameters[i];
    const bool other_role =
        !file.numbered && role(detail::from_keras_path(array.name)) != role(p.name());
    if (other_role || array.shape != p.shape())
      text << "; " << array.name << ' ' << array.shape << " stands where " << p.name() << ' '
           << p.shape() << " is expected";
  }
  const std::string all = text.str();
  return all.empty() ? all : all.substr(2);
}

}  // namespace

namespace detail {

std::string from_keras_path(std::string_view path) {
  std::vector<std::string> parts = parts_of(path.substr(0, path.find(':')), '/');
  constexpr std::array<std::string_view, 5> package{"luong_w", "bahdanau_w1", "bahdanau_w2",
                                                    "bahdanau_v", "attention_vector"};
  std::string name;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::string& part = parts[i];
    const bool last = i + 1 == parts.size();
    if (!last && (part == "lstm_cell" || part.starts_with("lstm_cell_"))) continue;
    if (last && part == "kernel" && i > 0 &&
        std::count(package.begin(), package.end(), parts[i - 1]))
      continue;
    for (const char* direction : {"forward", "backward"})
      if (!last && part.starts_with(std::string(direction) + "_")) part = direction;
    name += (name.empty() ? "" : ".") + part;
  }
  return name;
}

}  // namespace detail

template <Scalar T>
LoadReport load_keras_weights(const std::filesystem::path& path, const Parameters<T>& parameters) {
  const ArrayFile file = read_arrays(path);
  const Ordered order = in_keras_order(file);
  if (const std::string text = differences(order, parameters); !text.empty())
    fail(who, file.source(), " does not fit, nothing was loaded: ", text);
  std::vector<Tensor<T>> values;
  for (const StoredArray* array : order.arrays) values.push_back(file.tensor<T>(array->name));
  for (std::size_t i = 0; i < values.size(); ++i) parameters[i]->set_value(std::move(values[i]));
  return {.loaded = static_cast<Size>(values.size())};
}

template <Scalar T>
void save_keras_weights(const std::filesystem::path& path, const Parameters<T>& parameters,
                        const KerasSaveOptions& options) {
  const bool paths = options.names == KerasNames::paths;
  if (paths && path.extension() != ".npz")
    fail(who, path, " would not keep the order of the weights: .names = paths needs .npz");
  ArrayFile file;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter<T>& p = *parameters[i];
    if (p.value().empty())
      fail(who, "'", p.name(), "' has no value yet, nothing was written to ", path);
    std::string name = p.name();
    std::replace(name.begin(), name.end(), '.', '/');
    file.add(paths ? name : "arr_" + std::to_string(i), p.value());
  }
  write_arrays(path, file);
}

template <Scalar T>
void set_from_tensorflow_1(LSTM<T>& layer, const Tensor<T>& kernel, const Tensor<T>& bias,
                           const TensorFlow1Options& options) {
  const Size inputs = layer.kernel.shape()[0], units = layer.recurrent_kernel.shape()[0];
  if (kernel.empty() || bias.empty() || kernel.shape() != Shape{inputs + units, 4 * units} ||
      bias.shape() != Shape{4 * units})
    fail(who, "a BasicLSTMCell of ", inputs, " inputs and ", units, " units has a kernel ",
         Shape{inputs + units, 4 * units}, " and a bias ", Shape{4 * units}, ", got ",
         kernel.shape(), " and ", bias.shape());
  const auto reordered = [&](const Tensor<T>& x) {
    const auto quarter = [&](Size k) {
      return slice(constant(x), {.axis = -1, .begin = k * units, .end = (k + 1) * units});
    };
    return concat(std::vector{quarter(0), quarter(2), quarter(1), quarter(3)}, -1);
  };
  const Var<T> both = reordered(kernel);
  Tensor<T> b = reordered(bias).value();
  for (Size k = units; k < 2 * units; ++k)
    b.mutable_data()[k] += static_cast<T>(options.forget_bias);
  layer.kernel.set_value(slice(both, {.axis = 0, .begin = 0, .end = inputs}).value());
  layer.recurrent_kernel.set_value(
      slice(both, {.axis = 0, .begin = inputs, .end = inputs + units}).value());
  layer.bias.set_value(b);
}

template LoadReport load_keras_weights(const std::filesystem::path&, const Parameters<float>&);
template LoadReport load_keras_weights(const std::filesystem::path&, const Parameters<double>&);
template void save_keras_weights(const std::filesystem::path&, const Parameters<float>&,
                                 const KerasSaveOptions&);
template void save_keras_weights(const std::filesystem::path&, const Parameters<double>&,
                                 const KerasSaveOptions&);
template void set_from_tensorflow_1(LSTM<float>&, const Tensor<float>&, const Tensor<float>&,
                                    const TensorFlow1Options&);
template void set_from_tensorflow_1(LSTM<double>&, const Tensor<double>&, const Tensor<double>&,
                                    const TensorFlow1Options&);

}  // namespace axisgrad

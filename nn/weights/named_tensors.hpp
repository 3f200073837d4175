// Weights in files: named tensors written to, and read from, one file: .npz when its name ends so,
// else safetensors. Loading is all or nothing: everything is read and compared first.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <axisgrad/nn/module.hpp>
#include <axisgrad/nn/weights/array_file.hpp>
#include <axisgrad/nn/weights/load_report.hpp>

namespace axisgrad {

/// Tensors by name; they must stay where they are while this list is used.
class NamedTensors {
 public:
  template <Scalar T>
  void add(const std::string& name, Tensor<T>& x) {
    add_access<T>(
        name, x.shape(), [&x] { return x; }, [&x](Tensor<T> value) { x = std::move(value); });
  }
  template <Scalar T>
  void add(const std::string& name, Parameter<T>& p) {
    add_access<T>(
        name, p.shape(), [&p] { return p.value(); },
        [&p](Tensor<T> value) { p.set_value(std::move(value)); });
  }
  /// Everything that visit() of an optimizer, a FitState or the like shows, as PREFIX.NAME.
  template <class State>
  void add_state(const std::string& prefix, State& state) {
    state.visit([&](std::string_view name, auto& x) { add(prefix + "." + std::string(name), x); });
  }

  /// Error for a tensor without values, or when the file cannot be written.
  void save(const std::filesystem::path& path) const;
  /// Sets all tensors, or, with an Error that names every array that is missing, unexpected or of
  /// another shape, none. The file may have been written in the other precision.
  LoadReport load(const std::filesystem::path& path, const LoadOptions& options = {}) const;

 private:
  struct Entry {
    std::string name;
    Shape shape;
    std::function<bool(ArrayFile&)> write;  // false: no values
    /// Reads, and returns what sets the tensor.
    std::function<std::function<void()>(const ArrayFile&)> read;
  };
  template <Scalar T, class Get, class Set>
  void add_access(const std::string& name, const Shape& shape, Get get, Set set) {
    entries_.push_back({name, shape,
                        [=](ArrayFile& file) {
                          const Tensor<T> x = get();
                          if (!x.empty()) file.add(name, x);
                          return !x.empty();
                        },
                        [=](const ArrayFile& file) -> std::function<void()> {
                          return [set, x = file.tensor<T>(name)] { set(x); };
                        }});
  }

  std::vector<Entry> entries_;
};

/// Writes the values of parameters under their names.
template <Scalar T>
void save_weights(const std::filesystem::path& path, const Parameters<T>& parameters) {
  NamedTensors list;
  for (Parameter<T>* p : parameters) list.add(p->name(), *p);
  list.save(path);
}
/// Reads them back: all of them, or none and an Error. Parameters need not be initialised before.
template <Scalar T>
LoadReport load_weights(const std::filesystem::path& path, const Parameters<T>& parameters,
                        const LoadOptions& options = {}) {
  NamedTensors list;
  for (Parameter<T>* p : parameters) list.add(p->name(), *p);
  return list.load(path, options);
}

}  // namespace axisgrad

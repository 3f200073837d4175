// Weights in files: named tensors written to, and read from, one safetensors file. Loading is all
// or nothing: everything is read and compared first.
#pragma once
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include <axisgrad/nn/module.hpp>
#include <axisgrad/nn/weights/safetensors.hpp>

namespace axisgrad {

/// What a load found: how many tensors were set, and the arrays of the file that nobody asked for.
struct LoadReport {
  Size loaded = 0;
  std::vector<std::string> unused{};
};
/// "12 arrays loaded; not used: extra.kernel"
std::ostream& operator<<(std::ostream& out, const LoadReport& report);

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
  /// Sets all tensors, or, with an Error that names every array that is missing or has another
  /// shape, none. The file may have been written in the other precision.
  LoadReport load(const std::filesystem::path& path) const;

 private:
  struct Entry {
    std::string name;
    Shape shape;
    std::function<bool(SafetensorsFile&)> write;  // false: no values
    /// Reads, and returns what sets the tensor.
    std::function<std::function<void()>(const SafetensorsFile&)> read;
  };
  template <Scalar T, class Get, class Set>
  void add_access(const std::string& name, const Shape& shape, Get get, Set set) {
    entries_.push_back({name, shape,
                        [=](SafetensorsFile& file) {
                          const Tensor<T> x = get();
                          if (!x.empty()) file.add(name, x);
                          return !x.empty();
                        },
                        [=](const SafetensorsFile& file) -> std::function<void()> {
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
LoadReport load_weights(const std::filesystem::path& path, const Parameters<T>& parameters) {
  NamedTensors list;
  for (Parameter<T>* p : parameters) list.add(p->name(), *p);
  return list.load(path);
}

}  // namespace axisgrad

// What a model is made of, as a table.
#pragma once
#include <algorithm>
#include <iosfwd>
#include <string>
#include <vector>

#include <axisgrad/autograd/var.hpp>
#include <axisgrad/nn/module.hpp>

namespace axisgrad {

/// One parameter as summary() lists it. `shared`: it stands further up already and is not counted
/// again.
struct SummaryParameter {
  std::string name;
  Shape shape;
  bool trainable = true, shared = false;
};

/// One module: its path in the model ("encoder.lstm", empty for the model itself), its class, and
/// the parameters that it holds itself.
struct SummaryRow {
  std::string path, type;
  std::vector<Shape> output{};  // of the example input; empty when there was none
  std::vector<SummaryParameter> parameters{};

  Size count() const;
};

/// Rows in the order of visiting. std::cout << summary(model) prints them as Keras does.
struct Summary {
  std::vector<SummaryRow> rows{};
  Size trainable = 0, frozen = 0;  // elements, each parameter once
  Size bytes = 0;                  // of all their values

  Size total() const { return trainable + frozen; }
};
std::ostream& operator<<(std::ostream& out, const Summary& summary);

namespace detail {

// The class of a type as its author wrote it, without namespaces and template arguments.
std::string short_type_name(std::string_view pretty_function);
template <class M>
std::string type_name() {
  if constexpr (requires { typename M::shown_as; })
    return type_name<typename M::shown_as>();
  else
    return short_type_name(__PRETTY_FUNCTION__);
}

class SummaryBuilder {
 public:
  template <class M>
  void module(M& m, const std::string& path, std::vector<Shape> output = {}, bool always = false) {
    const std::size_t own = summary_.rows.size();
    summary_.rows.push_back({path, type_name<M>(), std::move(output)});
    if constexpr (Module<M>) parts(m, path, own);
    if (!always && summary_.rows[own].parameters.empty())
      summary_.rows.erase(summary_.rows.begin() + static_cast<std::ptrdiff_t>(own));
  }
  void row(const std::string& path) { summary_.rows.push_back({path, ""}); }
  template <Scalar T>
  void parameter(std::size_t row, std::string name, const Parameter<T>& p) {
    const bool met = std::find(ids_.begin(), ids_.end(), p.id()) != ids_.end();
    summary_.rows[row].parameters.push_back({std::move(name), p.shape(), p.trainable(), met});
    if (met) return;
    ids_.push_back(p.id());
    (p.trainable() ? summary_.trainable : summary_.frozen) += p.shape().size();
    summary_.bytes += p.shape().size() * static_cast<Size>(sizeof(T));
  }
  Summary take() { return std::move(summary_); }

 private:
  template <class M>
  void parts(M& m, const std::string& path, std::size_t own) {
    m.visit([&](std::string_view name, auto& part) {
      if constexpr (requires { part.visit(AnyVisitor{}); })
        module(part, (path.empty() ? "" : path + ".") + std::string(name));
      else
        parameter(own, std::string(name), part);
    });
  }

  Summary summary_;
  std::vector<ParameterId> ids_;
};

template <Scalar T>
Summary summary_of_list(const Parameters<T>& parameters);

}  // namespace detail

/// The modules of a model that hold parameters, with shapes, counts and totals.
template <Module M>
[[nodiscard]] Summary summary(M& model) {
  detail::SummaryBuilder builder;
  builder.module(model, "");
  return builder.take();
}

/// Of a list of parameters, by what stands in front of the last dot of their names.
template <Scalar T>
[[nodiscard]] Summary summary(const Parameters<T>& parameters) {
  return detail::summary_of_list(parameters);
}

/// Of a Sequential, each layer with the shape of its output for this input; the parameters must
/// have values.
template <class M, Scalar T>
requires requires(M& m) {
  m.for_each_layer([](std::size_t, auto&) {});
}
[[nodiscard]] Summary summary(M& model, const Tensor<T>& x) {
  detail::SummaryBuilder builder;
  Var<T> y = constant(x);
  model.for_each_layer([&](std::size_t k, auto& layer) {
    y = std::as_const(layer)(y);
    builder.module(layer, std::to_string(k), {y.shape()}, true);
  });
  return builder.take();
}

}  // namespace axisgrad

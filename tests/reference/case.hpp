// One reference file as a block sees it: it asks for options and inputs, loads its parameters, and
// hands back its outputs. Loss, gradients and Hessian-vector products follow from the outputs and
// are none of its business.
#pragma once
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/autograd/tape.hpp>
#include <axisgrad/nn/module.hpp>

#include "compare.hpp"
#include "options.hpp"

namespace axisgrad::reference {

template <Scalar T>
class Case {
 public:
  Case(const Entry& entry, const ArrayFile& file)
      : options(entry.options), entry_(entry), file_(file) {}

  Options options;

  const std::vector<std::string>& input_names() const { return entry_.inputs; }
  /// Whether the index lists this input: a mask, an initial state.
  bool has_input(const std::string& name) const { return entry_.has_input(name); }
  /// Whether the file has an array of this name: a result that only some files ask for.
  bool holds(const std::string& name) const { return file_.contains(name); }
  /// The shape of an array of the file, also of one that is compared.
  const Shape& shape(const std::string& name) const { return file_.at(name).shape; }
  /// An input as values; BOOL gives 0 and 1. Error when the index does not list it.
  [[nodiscard]] Tensor<T> array(const std::string& name);
  /// An I64 or BOOL input.
  [[nodiscard]] std::vector<std::int64_t> integers(const std::string& name);
  /// An input on the tape of this case; it asks for a gradient when one is compared. The same Var
  /// however often it is asked for.
  [[nodiscard]] Var<T> input(const std::string& name);

  /// Sets every parameter of the module to the array of its path, behind `prefix`.
  template <Module M>
  void load(M& module, const std::string& prefix = "") {
    for_each_parameter(
        module, [&](const std::string& path, Parameter<T>& p) { load_parameter(path, p); }, prefix);
  }

  /// An output: compared when the index lists it, and part of the loss when it has a cotangent.
  void output(const std::string& name, const Var<T>& y) { outputs_.insert_or_assign(name, y); }
  /// The gradients of the same loss of other outputs, as PREFIX.NAME: what grad_full. holds.
  void gradients_of(const std::string& prefix, const std::map<std::string, Var<T>>& outputs);
  /// Any other array that the block computes itself: steps, norm, losses, final.NAME.
  void result(const std::string& name, Tensor<T> x) {
    results_.insert_or_assign(name, std::move(x));
  }

  /// Everything there is to compare, by name. Error for options, inputs or parameters that the
  /// block did not use.
  [[nodiscard]] Arrays<T> finish();

 private:
  void load_parameter(const std::string& name, Parameter<T>& parameter);
  void require_all_used() const;
  Var<T> loss(const std::map<std::string, Var<T>>& outputs) const;
  std::vector<Var<T>> leaves(const std::vector<std::string>& names) const;
  void add_gradients(const std::string& prefix, const Var<T>& loss);
  void add_hessian_products(const Var<T>& loss);

  const Entry& entry_;
  const ArrayFile& file_;
  Tape<T> tape_;
  std::map<std::string, Var<T>> inputs_, parameters_, outputs_;
  std::set<std::string> used_;
  Arrays<T> results_;
};

extern template class Case<float>;
extern template class Case<double>;

}  // namespace axisgrad::reference

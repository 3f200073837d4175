// A parameter: a value that training changes, with a cell that receives its gradient.
#pragma once
#include <memory>
#include <utility>

#include <axisgrad/autograd/leaf.hpp>
#include <axisgrad/autograd/watch.hpp>

namespace axisgrad {

/// How a parameter gets its first values, by initialise().
enum class Init {
  zeros,
  ones,
  glorot_uniform,  // U(-l, l), l = sqrt(6 / (fan in + fan out))
  torch_uniform,   // U(-l, l), l = 1 / sqrt(fan in)
  orthogonal,      // orthonormal columns, or rows when fewer; all axes but the last are rows
  lstm_bias,       // (4 units): ones on the second quarter, the forget gate, zeros elsewhere
};

/// Fan in and fan out where they do not follow from the shape (as Keras counts them); 0 means that
/// they do.
struct Fans {
  double in = 0, out = 0;
};

/// Move-only in identity: moving keeps the cell, copying makes a new one with the same value.
/// Without a value until initialise().
template <Scalar T>
class Parameter {
 public:
  using scalar = T;

  explicit Parameter(const Shape& shape, Init init = Init::glorot_uniform, Fans fans = {})
      : shape_(shape), init_(init), fans_(fans), cell_(std::make_shared<GradientCell<T>>()) {}
  Parameter(const Parameter& other)
      : shape_(other.shape_),
        init_(other.init_),
        fans_(other.fans_),
        value_(other.value_),
        cell_(std::make_shared<GradientCell<T>>()) {
    cell_->name = other.cell_->name;
    cell_->trainable = other.cell_->trainable;
  }
  Parameter(Parameter&&) noexcept = default;
  Parameter& operator=(const Parameter& other) { return *this = Parameter(other); }
  Parameter& operator=(Parameter&&) noexcept = default;

  // Of a temporary, values of their own: see Var.
  [[nodiscard]] const Shape& shape() const& { return shape_; }
  [[nodiscard]] Shape shape() && { return shape_; }
  [[nodiscard]] Init init() const { return init_; }
  [[nodiscard]] Fans fans() const { return fans_; }
  [[nodiscard]] const Tensor<T>& value() const& { return value_; }
  [[nodiscard]] Tensor<T> value() && { return std::move(value_); }
  /// Error unless the value has the parameter's shape.
  void set_value(Tensor<T> value) {
    if (value.empty() || value.shape() != shape_)
      fail("parameter", "'", name(), "' has the shape ", shape_, ", got ", value.shape());
    value_ = std::move(value);
  }
  /// Write access to the elements; Error before it has a value. The shape cannot be changed.
  T* mutable_data() {
    if (value_.empty()) fail("parameter", "'", name(), "' has no value yet: call initialise()");
    return value_.mutable_data();
  }

  /// Empty when there is none.
  [[nodiscard]] const Tensor<T>& grad() const& { return cell_->grad; }
  [[nodiscard]] Tensor<T> grad() && { return cell_->grad; }
  Tensor<T>& mutable_grad() { return cell_->grad; }
  /// The full path once it is part of a list of parameters: "encoder.lstm.kernel".
  [[nodiscard]] const std::string& name() const {
    if (!cell_) fail("parameter", "its module was moved away: use the module it was moved to");
    return cell_->name;
  }
  void set_name(const std::string& name) { cell_->name = name; }
  [[nodiscard]] bool trainable() const { return cell_->trainable; }
  void set_trainable(bool yes) { cell_->trainable = yes; }
  [[nodiscard]] ParameterId id() const { return cell_->id; }
  [[nodiscard]] const std::shared_ptr<GradientCell<T>>& cell() const { return cell_; }

 private:
  Shape shape_;
  Init init_;
  Fans fans_;
  Tensor<T> value_;
  std::shared_ptr<GradientCell<T>> cell_;
};

}  // namespace axisgrad

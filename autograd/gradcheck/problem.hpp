// The function under check as numbers: the values it depends on, its outputs weighted by random
// cotangents, and their gradient. At second order the "function" is the first gradient: its outputs
// are the gradients, its inputs also the cotangents they were made from.
#pragma once
#include <axisgrad/autograd/backward.hpp>
#include <axisgrad/autograd/gradcheck/gradcheck.hpp>

namespace axisgrad::gradchecking {

/// Uniform in [-1, 1), but not near zero: |u| >= 1/4. A function of its arguments only.
double random_weight(std::uint64_t seed, std::uint64_t stream, std::uint64_t index);

/// What is varied: an input, a parameter or (second order) a cotangent.
struct Row {
  enum Kind { input, parameter, cotangent } kind;
  std::string name;
  Tensor<double> value;
  ParameterId id = 0;
  bool frozen = false;
};

/// A straight line through the values: one element of a row, or (index < 0) a random direction of a
/// row, or (row < 0) of all of them.
struct Direction {
  int row = -1;
  Size index = -1;
};

class Problem {
 public:
  /// Runs f once, which tells the parameters and outputs it has.
  Problem(const Function& f, std::vector<Tensor<double>> inputs, int order,
          const GradcheckOptions& options);

  std::vector<Row> rows;
  bool single_precision = false;

  /// Draws cotangents and directions for the rows' values as they stand now.
  void start_point(std::uint64_t seed);
  /// Runs and differentiates at the rows' values: base() and the gradient by each row. Outputs that
  /// are not finite get the weight 0. Errors of f come out as they are, those of differentiation as
  /// GradcheckError.
  std::vector<Tensor<double>> gradients();
  const std::vector<Tensor<double>>& base() const { return base_; }
  /// Second order: the first gradient as computed for differentiating it again, which may go
  /// through a fused op's reference.
  const std::vector<Tensor<double>>& under_create_graph() const { return under_create_graph_; }
  /// sum(w (y(x + t d) - y(x))) at distance t along d; NaN where y is not finite or f refuses.
  /// `moved` gets sum|w (y(x + t d) - y(x))|.
  double change(Direction d, double t, double& moved);
  /// The outputs at the rows' values, without recording.
  std::vector<Tensor<double>> outputs();
  /// Root of the sum of (w y)^2.
  double magnitude() const;
  /// The weight of the only output element, so that a report can show plain derivatives; 1 when
  /// there are several.
  double unit() const {
    return weights_.size() == 1 && weights_[0].size() == 1 ? weights_[0].data()[0] : 1;
  }
  /// Component i, where the value is x, of a random direction: of a size with max(1, |x|) along one
  /// row, with |x| along all of them.
  double along(Direction d, int row, Size i, double x) const;
  /// The derivative along a row's random direction, of its gradient.
  double project(int row, const Tensor<double>& gradient) const;

 private:
  void run(Tape<double>& tape, bool gradient);
  void find_rows();
  std::vector<Var<double>> variables(Tape<double>& tape, bool with_cotangents) const;
  std::vector<Var<double>> first_gradients(Tape<double>& tape, bool create_graph);
  const std::vector<Tensor<double>>& evaluate();
  void move(Direction d, double t);

  const Function& f_;
  const int order_;
  bool records_always_ = false;  // f itself takes gradients
  Tape<double> recorded_, plain_;
  std::vector<Var<double>> inputs_, cotangents_;
  Outputs result_;
  std::vector<Shape> shapes_;  // of what the weights are for: f's outputs, or the gradients
  std::vector<Tensor<double>> weights_, base_, under_create_graph_, values_, directions_, origin_;
};

}  // namespace axisgrad::gradchecking

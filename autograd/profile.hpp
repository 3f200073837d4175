// Where the time of a recording goes, by op.
//
//   Profile profile;
//   tape.profile(&profile);
//   ... some steps ...
//   std::cout << profile;
#pragma once
#include <chrono>
#include <iosfwd>
#include <string_view>
#include <vector>

#include <axisgrad/autograd/shape.hpp>

namespace axisgrad {

/// Times in seconds. Forward is what passed on the tape since the op before, so that what a program
/// does between two ops counts as the second one's; call start() after a pause. Backward is the
/// gradient rule. Flops and bytes are of the forward calls: bytes of inputs and outputs, flops only
/// of ops that count them (products, LSTM, attention).
class Profile {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static Time now() { return std::chrono::steady_clock::now(); }

  struct Row {
    std::string_view op;
    Size calls = 0;
    double forward = 0, backward = 0, flops = 0, bytes = 0;
  };
  /// The longest first.
  [[nodiscard]] std::vector<Row> rows() const;

  /// The next op begins now.
  void start() { last_ = now(); }
  void forward(std::string_view op, double bytes, double flops);
  void backward(std::string_view op, Time began);
  void clear() { rows_.clear(), start(); }

 private:
  Row& row(std::string_view op);
  std::vector<Row> rows_;
  Time last_{};
};

/// A table: op, calls, forward and backward in ms, share, GFLOP/s and GB/s.
std::ostream& operator<<(std::ostream& out, const Profile& profile);

}  // namespace axisgrad

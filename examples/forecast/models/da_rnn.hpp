// DA-RNN (Qin et al. 2017, arXiv 1704.02971): one step of one series, from its past and the others.
#pragma once
#include <axisgrad/nn/dual_stage_rnn.hpp>

#include "../models.hpp"

namespace forecast {

/// The target's column is the past of the forecast, the others are the driving series; encoder and
/// decoder have --units. Error unless one step of one target is asked for, and others are there.
class DaRnn {
 public:
  using scalar = float;
  explicit DaRnn(const ModelContext& c);
  Var<float> operator()(const Var<float>& x) const;
  std::vector<AttentionMap> maps(const Var<float>& x) const;
  void visit(auto&& visitor) { network_.visit(visitor); }

 private:
  Size target_;
  std::vector<Size> drivers_;
  axisgrad::DualStageRNN<float> network_;
};

}  // namespace forecast

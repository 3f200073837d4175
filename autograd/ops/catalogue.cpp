#include <axisgrad/autograd/ops/family.hpp>

namespace axisgrad {

std::vector<OpEntry> all_ops() {
  std::vector<OpEntry> all;
  for (auto* family :
       {pointwise_family, reduce_family, statistics_family, scan_family, shape_family,
        indexing_family, arrange_family, matmul_family, softmax_family, norm_family, dropout_family,
        loss_family, categorical_family, categorical_logits_family, lstm_family, attention_family,
        gate_family, input_attention_family, temporal_attention_family})
    for (OpEntry& op : family()) all.push_back(std::move(op));
  return all;
}

std::vector<std::vector<Shape>> pointwise_sample_shapes(int n) {
  const Shape full{2, 3, 5}, column{3, 1}, row{5}, middle{2, 1, 5}, scalar{}, empty{0, 3}, one{3};
  if (n == 1) return {{full}, {{7}}, {scalar}, {empty}, {{1, 17, 1}}};
  if (n == 2)
    return {{full, full},   {full, row},  {column, full},   {middle, column}, {scalar, full},
            {full, scalar}, {empty, one}, {{4, 1}, {1, 3}}, {{}, {}}};
  return {{full, full, full},
          {column, full, row},
          {full, middle, scalar},
          {scalar, column, row},
          {empty, one, scalar}};
}

}  // namespace axisgrad

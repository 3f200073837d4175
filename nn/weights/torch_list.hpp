// The arrays of a PyTorch state dict, each with the parameters that it is made of.
#pragma once
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <axisgrad/nn/multi_head_attention.hpp>
#include <axisgrad/nn/parameter.hpp>
#include <axisgrad/nn/weights/load_report.hpp>

namespace axisgrad {

/// Where a part of a model stands in PyTorch's.
struct TorchModule {
  std::string path;   // of the part here, "encoder.lstm"; "" is the whole
  std::string torch;  // the prefix of its names there, "rnn"
  int layer = 0;      // of an LSTM: which of a stack in one nn.LSTM, the number behind _l
};

struct TorchOptions {
  /// Parts that are named otherwise in PyTorch, with all that is below them; the others have the
  /// same path there.
  std::vector<TorchModule> modules{};
};

namespace detail {

enum class TorchContent { values, gradients };

/// A parameter and its layout there.
template <Scalar T>
struct TorchPiece {
  Parameter<T>* parameter;
  Shape shape;  // there
  Size in = 0;  // of a matrix (in, out) that is transposed to (out, in); else 0

  static TorchPiece as_it_is(Parameter<T>& p) { return {&p, p.shape()}; }
  static TorchPiece row(Parameter<T>& p) { return {&p, Shape{p.shape().size()}}; }
  static TorchPiece matrix(Parameter<T>& p, Size in) {
    return {&p, Shape{p.shape().size() / in, in}, in};
  }
};

template <Scalar T>
class TorchList {
 public:
  explicit TorchList(const TorchOptions& options) : options_(options) {}

  /// A part of the model was met.
  void enter(const std::string& path);
  /// Its path in PyTorch, with a name behind it.
  [[nodiscard]] std::string name(const std::string& path, const std::string& below = "") const;
  [[nodiscard]] int layer(const std::string& path) const;
  /// An array made of these pieces, one below the other; of several names, the sum of the arrays.
  void add(std::vector<std::string> names, std::vector<TorchPiece<T>> pieces);
  /// Error for an entry of the options that was not met.
  void require_all_used() const;

  LoadReport load(const std::filesystem::path& path, const LoadOptions& options) const;
  [[nodiscard]] ArrayFile arrays(TorchContent content) const;

 private:
  struct Entry {
    std::vector<std::string> names;
    std::vector<TorchPiece<T>> pieces;
    Shape shape;
  };
  const TorchModule* find(const std::string& path) const;

  TorchOptions options_;
  std::vector<Entry> entries_;
  std::set<std::string> met_;
};

/// Error unless nn.MultiheadAttention can be of these sizes.
void require_torch_attention(const std::string& path, const MultiHeadAttentionOptions& options);

extern template class TorchList<float>;
extern template class TorchList<double>;

}  // namespace detail
}  // namespace axisgrad

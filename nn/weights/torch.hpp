// Weights from PyTorch and to PyTorch: state dicts as arrays in a safetensors or .npz file.
//
//   safetensors.torch.save_file(model.state_dict(), "w.safetensors")          # Python
//   load_torch_weights("w.safetensors", model);                               // C++
//   save_torch_weights("w.safetensors", model);
//   model.load_state_dict(safetensors.torch.load_file("w.safetensors"))
//
// Each layer takes the names and layouts of its PyTorch twin:
//
//   Dense                weight (units, inputs), the transposed kernel; bias
//   LayerNormalization   weight, bias
//   LSTM                 weight_ih_l0 (4U,D), weight_hh_l0 (4U,U), both transposed, gates in the
//                        same order; bias_ih_l0 and bias_hh_l0, whose sum is the bias
//   Bidirectional        the same twice, the second with the ending _reverse
//   MultiHeadAttention   in_proj_weight (3E,E): query, key and value one below the other, the heads
//                        side by side, transposed; q_, k_ and v_proj_weight when the sizes of
//                        key or value differ; in_proj_bias (3E); out_proj.weight, out_proj.bias
//   PositionEmbedding    weight, as nn.Embedding
//   the gates of Time- and FeatureAttentionBlock: weight, bias, as the Linear in them
//
// Every other parameter keeps its name and layout. docs/coming_from_pytorch.md has the differences.
#pragma once
#include <filesystem>

#include <axisgrad/nn/weights/torch_walk.hpp>

namespace axisgrad {

/// Sets all parameters of a module to the arrays of a state dict, or, with an Error that names all
/// that are missing, unexpected or of another shape (in PyTorch's names and shapes), none. Error
/// also for an entry of .modules that names no part of the module.
template <Module M>
LoadReport load_torch_weights(const std::filesystem::path& path, M& module,
                              const TorchOptions& options = {}, const LoadOptions& load = {}) {
  return detail::torch_list(module, options).load(path, load);
}
/// Writes the parameters as a state dict. The bias of an LSTM goes to bias_ih as a whole, and
/// bias_hh is 0: the same function, but when PyTorch trains on, both receive the gradient, so their
/// sum moves twice as far. Error for a parameter without a value, or an attention that
/// nn.MultiheadAttention cannot be: key_dim and value_dim must be embed_size / num_heads.
template <Module M>
void save_torch_weights(const std::filesystem::path& path, M& module,
                        const TorchOptions& options = {}) {
  write_arrays(path, detail::torch_list(module, options).arrays(detail::TorchContent::values));
}
/// The gradients of the parameters (one for each: call backward first) in PyTorch's names and
/// layouts: what .grad holds there. Both biases of an LSTM have the gradient of the bias.
template <Module M>
[[nodiscard]] ArrayFile torch_gradients(M& module, const TorchOptions& options = {}) {
  return detail::torch_list(module, options).arrays(detail::TorchContent::gradients);
}

}  // namespace axisgrad

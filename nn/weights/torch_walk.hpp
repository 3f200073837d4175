// How each layer is laid out in PyTorch: a walk over the parts of a module that lists its arrays.
#pragma once
#include <string>

#include <axisgrad/nn/attention_blocks.hpp>
#include <axisgrad/nn/bidirectional.hpp>
#include <axisgrad/nn/layer_norm.hpp>
#include <axisgrad/nn/multi_head_attention.hpp>
#include <axisgrad/nn/position.hpp>
#include <axisgrad/nn/weights/torch_list.hpp>

namespace axisgrad {

namespace detail {

template <class M>
auto* parameter_named(M& module, std::string_view wanted) {
  Parameter<typename M::scalar>* found = nullptr;
  module.visit([&](std::string_view name, auto& p) {
    if constexpr (requires { p.set_value(p.value()); })
      if (name == wanted) found = &p;
  });
  return found;
}

// Overloads of layer() for the types that have a twin; a module of any other type is its parts.
template <Scalar T>
class TorchWalk {
 public:
  explicit TorchWalk(TorchList<T>& list) : list_(list) {}

  template <class M>
  void module(const std::string& path, M& m) {
    list_.enter(path);
    if constexpr (requires { typename M::shown_as; })
      module(path, m.layer);
    else if constexpr (requires { layer(path, m); })
      layer(path, m);
    else
      parts(path, m);
  }

 private:
  using P = Parameter<T>;

  template <class M>
  void parts(const std::string& path, M& m) {
    m.visit([&](std::string_view name, auto& part) {
      const std::string below = path + (path.empty() ? "" : ".") + std::string(name);
      if constexpr (requires { part.visit(AnyVisitor{}); })
        module(below, part);
      else
        list_.add({list_.name(below)}, {TorchPiece<T>::as_it_is(part)});
    });
  }

  void layer(const std::string& path, Dense<T>& m) { linear(path, m); }
  void layer(const std::string& path, TimeAttentionBlock<T>& m) { linear(path, m); }
  void layer(const std::string& path, FeatureAttentionBlock<T>& m) { linear(path, m); }
  void layer(const std::string& path, LayerNormalization<T>& m) {
    list_.add({list_.name(path, "weight")}, {TorchPiece<T>::as_it_is(m.gamma)});
    list_.add({list_.name(path, "bias")}, {TorchPiece<T>::as_it_is(m.beta)});
  }
  void layer(const std::string& path, PositionEmbedding<T>& m) {
    list_.add({list_.name(path, "weight")}, {TorchPiece<T>::as_it_is(m.embeddings)});
  }
  void layer(const std::string& path, LSTM<T>& m) { lstm(path, m, ""); }
  void layer(const std::string& path, Bidirectional<T>& m) {
    lstm(path, m.forward, ""), lstm(path, m.backward, "_reverse");
  }
  void layer(const std::string& path, MultiHeadAttention<T>& m) {
    require_torch_attention(path, m.options());
    const auto& o = m.options();
    const auto matrix = [&](auto& p, Size in) { return TorchPiece<T>::matrix(p.kernel, in); };
    const auto q = matrix(m.query, o.embed_size), k = matrix(m.key, o.key_embed_size),
               v = matrix(m.value, o.value_embed_size);
    if (o.key_embed_size == o.embed_size && o.value_embed_size == o.embed_size) {
      list_.add({list_.name(path, "in_proj_weight")}, {q, k, v});
    } else {
      list_.add({list_.name(path, "q_proj_weight")}, {q});
      list_.add({list_.name(path, "k_proj_weight")}, {k});
      list_.add({list_.name(path, "v_proj_weight")}, {v});
    }
    list_.add({list_.name(path, "out_proj.weight")},
              {matrix(m.attention_output, o.num_heads * o.value_dim)});
    if (!o.use_bias) return;
    list_.add({list_.name(path, "in_proj_bias")},
              {TorchPiece<T>::row(m.query.bias), TorchPiece<T>::row(m.key.bias),
               TorchPiece<T>::row(m.value.bias)});
    list_.add({list_.name(path, "out_proj.bias")}, {TorchPiece<T>::row(m.attention_output.bias)});
  }

  template <class M>
  void linear(const std::string& path, M& m) {
    list_.add({list_.name(path, "weight")}, {TorchPiece<T>::matrix(m.kernel, m.kernel.shape()[0])});
    if (P* bias = parameter_named(m, "bias"))
      list_.add({list_.name(path, "bias")}, {TorchPiece<T>::as_it_is(*bias)});
  }
  void lstm(const std::string& path, LSTM<T>& m, const std::string& ending) {
    const std::string end = "_l" + std::to_string(list_.layer(path)) + ending;
    const auto name = [&](const char* what) { return list_.name(path, what + end); };
    list_.add({name("weight_ih")}, {TorchPiece<T>::matrix(m.kernel, m.kernel.shape()[0])});
    list_.add({name("weight_hh")},
              {TorchPiece<T>::matrix(m.recurrent_kernel, m.recurrent_kernel.shape()[0])});
    if (P* bias = parameter_named(m, "bias"))
      list_.add({name("bias_ih"), name("bias_hh")}, {TorchPiece<T>::as_it_is(*bias)});
  }

  TorchList<T>& list_;
};

template <class M>
TorchList<typename M::scalar> torch_list(M& module, const TorchOptions& options) {
  TorchList<typename M::scalar> list(options);
  TorchWalk<typename M::scalar>(list).module("", module);
  list.require_all_used();
  return list;
}

}  // namespace detail
}  // namespace axisgrad

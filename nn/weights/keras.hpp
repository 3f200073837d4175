// Weights from Keras and to Keras. The modules here name, shape and order their parameters as
// Keras's layers do, so that a list from get_weights() fits as it is:
//
//   np.savez("w.npz", *model.get_weights())                     # Python
//   load_keras_weights("w.npz", parameters(model));             // C++
//   save_keras_weights("w.npz", parameters(model));
//   f = np.load("w.npz"); model.set_weights([f[f"arr_{i}"] for i in range(len(f.files))])
//
// docs/coming_from_keras.md goes through the layers one by one.
#pragma once
#include <filesystem>
#include <string_view>

#include <axisgrad/nn/lstm.hpp>
#include <axisgrad/nn/module.hpp>
#include <axisgrad/nn/weights/load_report.hpp>

namespace axisgrad {

/// Sets the parameters, in their order, to the arrays of a file: arr_0, arr_1, ... as numpy.savez
/// names a list, or under the paths of Keras's variables ("lstm/lstm_cell/kernel:0") in the order
/// of a .npz file. Counts, shapes and, where there are paths, what they end in are compared first;
/// an Error names every pair that does not fit, and then nothing was loaded.
template <Scalar T>
LoadReport load_keras_weights(const std::filesystem::path& path, const Parameters<T>& parameters);

enum class KerasNames {
  numbers,  // arr_0, arr_1, ...: what set_weights() wants, in order
  paths,    // the parameter's name with slashes: 0/query/kernel
};
struct KerasSaveOptions {
  KerasNames names = KerasNames::numbers;
};

/// Writes the values of parameters in their order. Error for one without a value, and for a file
/// of paths that is not .npz: safetensors keeps no order.
template <Scalar T>
void save_keras_weights(const std::filesystem::path& path, const Parameters<T>& parameters,
                        const KerasSaveOptions& options = {});

/// What an LSTM cell of TensorFlow 1 adds to the forget gate when it runs, so that it is not in
/// its stored bias.
struct TensorFlow1Options {
  double forget_bias = 1;
};
/// Sets an LSTM to the weights of a BasicLSTMCell of TensorFlow 1: kernel (inputs + units, 4 units)
/// with the rows of x first, bias (4 units), gates in the order i, j, f, o where Keras has i, f, c,
/// o. Error when the shapes do not fit; the layer is then as it was.
template <Scalar T>
void set_from_tensorflow_1(LSTM<T>& layer, const Tensor<T>& kernel, const Tensor<T>& bias,
                           const TensorFlow1Options& options = {});

namespace detail {
/// A Keras path as names are written here: "lstm/forward_lstm/lstm_cell/kernel:0" ->
/// "lstm.forward.kernel". A Dense inside of the attention package's layer, "luong_w/kernel", is a
/// parameter of that name: "luong_w".
[[nodiscard]] std::string from_keras_path(std::string_view path);
}  // namespace detail

}  // namespace axisgrad

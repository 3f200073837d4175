#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>

#include <axisgrad/autograd/engine/inspect.hpp>

namespace axisgrad {
namespace {

// Blocks of tapes that are gone. Kept for ever, so that a Var that outlived its tape still finds
// out.
template <Scalar T>
struct Store {
  std::mutex mutex;
  std::vector<Recording<T>*> free;
  static Store& get() {
    static Store& store = *new Store;
    return store;
  }
};

template <Scalar T>
auto position(const std::vector<typename Recording<T>::Leaf>& leaves, ParameterId id) {
  return std::lower_bound(leaves.begin(), leaves.end(), id,
                          [](const auto& leaf, ParameterId i) { return leaf.cell->id < i; });
}

// The bits of the first n, so that what is saved can be found by counting bits.
unsigned first_bits(unsigned set, std::size_t n) { return n < 32 ? set & ((1u << n) - 1) : set; }

}  // namespace

template <Scalar T>
Recording<T>* Recording<T>::take() {
  auto& store = Store<T>::get();
  std::scoped_lock lock(store.mutex);
  if (store.free.empty()) return new Recording;
  Recording* block = store.free.back();
  store.free.pop_back();
  return block;
}

template <Scalar T>
void Recording<T>::give_back(Recording* block) noexcept {
  block->end(End::cleared);
  block->first_generation = block->generation;
  block->options = {};
  block->profile = nullptr;
  auto& store = Store<T>::get();
  std::scoped_lock lock(store.mutex);
  store.free.push_back(block);
}

template <Scalar T>
void Recording<T>::end(End how) noexcept {
  last_end = how;
  generation.store(generation.load(std::memory_order_relaxed) + 1);  // one thread writes
  nodes.clear(), inputs.clear(), saved.clear(), leaves.clear(), substitutions.clear();
  slot_sizes_.clear(), sizes_.clear(), arena_.clear();
  slots = 0, random_ops = 0;
}

template <Scalar T>
Recording<T>* Recording<T>::common(Inputs<T> inputs, std::string_view where) {
  const Var<T>* first = nullptr;
  for (const Var<T>* x : inputs) {
    if (!x->block_) continue;
    require_live(*x, where);
    if (!first) first = x;
    if (first->block_ != x->block_)
      fail(where, "the inputs are on two different tapes: one of the shape ", first->shape(),
           ", one of ", x->shape());
  }
  return first ? first->block_ : nullptr;
}

template <Scalar T>
auto Recording<T>::keep(const Shape& shape) -> Sizes {
  sizes_.insert(sizes_.end(), shape.begin(), shape.end());
  return {sizes_.size() - static_cast<std::size_t>(shape.rank()), shape.rank()};
}

template <Scalar T>
Var<T> Recording<T>::place(Tensor<T> value, bool gradient) {
  gradient = gradient && options.gradient;
  if (gradient) slot_sizes_.push_back(keep(value.shape()));
  return at(std::move(value), gradient ? slots++ : -1);
}

template <Scalar T>
void Recording<T>::add_node(const OpInfo<T>& op, Inputs<T> in, std::span<Tensor<T>> outputs,
                            Saves saves, const void* node_options, std::size_t options_size,
                            std::span<Var<T>> results) {
  saves = {first_bits(saves.inputs, in.size()), first_bits(saves.outputs, outputs.size())};
  Node<T> node{&op,
               nullptr,
               inputs.size(),
               saved.size(),
               slots,
               static_cast<int>(in.size()),
               static_cast<int>(outputs.size()),
               saves};
  void* copy = arena_.take(options_size);
  std::memcpy(copy, node_options, options_size);
  node.options = copy;
  for (std::size_t k = 0; k < in.size(); ++k) {
    const int slot = slot_of(*in[k]);
    inputs.push_back({slot, slot < 0 ? keep(in[k]->shape()) : Sizes{}});
    if (Saves::has(saves.inputs, static_cast<int>(k))) saved.push_back({slot, in[k]->value()});
  }
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    // As place() does, but in place: a Var on its way through memory waits for its own parts.
    const bool gradient = options.gradient;
    if (gradient) slot_sizes_.push_back(keep(outputs[k].shape()));
    Var<T>& y = results[k];
    y.value_ = std::move(outputs[k]);
    y.block_ = this, y.generation_ = generation, y.slot_ = gradient ? slots++ : -1;
    if (Saves::has(saves.outputs, static_cast<int>(k)))
      saved.push_back({slot_of(results[k]), results[k].value()});
  }
  nodes.push_back(node);
}

template <Scalar T>
const typename Recording<T>::Leaf* Recording<T>::leaf(ParameterId id) const {
  const auto at = position<T>(leaves, id);
  return at != leaves.end() && at->cell->id == id ? &*at : nullptr;
}

template <Scalar T>
Var<T> Recording<T>::add_leaf(const std::shared_ptr<Cell>& cell, const Buffer& source,
                              Tensor<T> value) {
  for (const auto& [id, other] : substitutions)
    if (id == cell->id) {
      if (other.shape() != value.shape())
        fail("watch", "the substitute for '", cell->name, "' has the shape ", other.shape(),
             ", not ", value.shape());
      value = other;
    }
  Var<T> var = place(std::move(value), cell->trainable);
  leaves.insert(position<T>(leaves, cell->id), {cell, source, var});
  return var;
}

template <Scalar T>
Var<T> Tape<T>::input(Tensor<T> x, InputOptions options) {
  if (x.empty()) fail("input", "an empty tensor has no shape");
  if (recording().options.check_finite) require_finite(x, "input", "the value");
  return recording().place(std::move(x), options.gradient);
}

template <Scalar T>
void Tape<T>::substitute(ParameterId id, Tensor<T> value) {
  if (recording().leaf(id))
    fail("substitute", "the parameter is already watched: substitute before the first use");
  recording().substitutions.emplace_back(id, std::move(value));
}

template <Scalar T>
void Tape<T>::clear() {
  recording().end(TapeBlock::End::cleared);
}

template <Scalar T>
bool is_recorded(Inputs<T> inputs, std::string_view where) {
  return Recording<T>::common(inputs, where) &&
         std::any_of(inputs.begin(), inputs.end(),
                     [](const Var<T>* x) { return x->has_gradient(); });
}

template <Scalar T>
void record(const OpInfo<T>& op, Inputs<T> inputs, std::span<Tensor<T>> outputs, Saves saves,
            const void* options, std::size_t options_size, std::span<Var<T>> results) {
  auto* recording = Recording<T>::common(inputs, op.name);
  if (recording) inspect_outputs<T>(*recording, op, inputs, outputs, options);
  bool gradient = false;
  if (op.gradient && recording)
    for (const Var<T>* x : inputs) gradient |= x->has_gradient();
  if (gradient)
    return recording->add_node(op, inputs, outputs, saves, options, options_size, results);
  for (std::size_t k = 0; k < outputs.size(); ++k)
    results[k] =
        recording ? recording->place(std::move(outputs[k]), false) : Var<T>(std::move(outputs[k]));
}

template bool is_recorded(Inputs<float>, std::string_view);
template bool is_recorded(Inputs<double>, std::string_view);
template class Recording<float>;
template class Recording<double>;
template class Tape<float>;
template class Tape<double>;
template void record(const OpInfo<float>&, Inputs<float>, std::span<Tensor<float>>, Saves,
                     const void*, std::size_t, std::span<Var<float>>);
template void record(const OpInfo<double>&, Inputs<double>, std::span<Tensor<double>>, Saves,
                     const void*, std::size_t, std::span<Var<double>>);

}  // namespace axisgrad

// The tape: a flat vector of nodes in the order of recording, which already is a topological order.
// Backward is one reverse loop over it: no sort, no recursion.
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include <axisgrad/autograd/engine/arena.hpp>
#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/leaf.hpp>
#include <axisgrad/autograd/op.hpp>
#include <axisgrad/autograd/profile.hpp>
#include <axisgrad/autograd/var.hpp>

namespace axisgrad {

/// One op of a recording. A value that asks for a gradient has a slot; the slots of a node's
/// outputs follow each other.
template <Scalar T>
struct Node {
  const OpInfo<T>* op;
  const void* options;
  std::size_t first_input, first_saved;  // positions in the recording's lists
  int first_output;
  int inputs, outputs;
  Saves saves;
};

/// Everything that a tape has recorded. Memory is kept from one recording to the next: a training
/// loop stops allocating.
template <Scalar T>
class Recording : public TapeBlock {
 public:
  struct Saved {
    int slot;
    Tensor<T> value;
  };
  struct Sizes {  // a shape, in the list of sizes
    std::size_t first;
    int rank;
  };
  struct Input {
    int slot;     // -1 where no gradient is asked for
    Sizes sizes;  // then only: a slot has its own
  };
  struct Leaf {
    std::shared_ptr<Cell> cell;
    Buffer source;  // of the parameter's value when it was first watched
    Var<T> var;
  };

  static Recording* take();
  static void give_back(Recording* block) noexcept;
  /// Forgets what is recorded; Vars of it are over from here on.
  void end(End how) noexcept;

  /// Error when the Var belongs to a recording that is over.
  static void require_live(const Var<T>& x, std::string_view where) {
    if (x.block_) x.block_->require_generation(x.generation_, where);
  }
  /// The recording that these Vars are on; null when all are constants. Error when there are two,
  /// or one is over.
  static Recording* common(Inputs<T> inputs, std::string_view where);

  int slot_of(const Var<T>& x) const { return x.block_ == this ? x.slot_ : -1; }
  static Recording* of(const Var<T>& x) { return x.block_; }
  Var<T> place(Tensor<T> value, bool gradient);
  Var<T> at(Tensor<T> value, int slot) { return {std::move(value), this, generation, slot}; }
  Shape shape(const Sizes& s) const { return {sizes_.data() + s.first, s.rank}; }
  Shape shape_of(int slot) const { return shape(slot_sizes_[static_cast<unsigned>(slot)]); }
  bool has(const Sizes& s, const Shape& shape) const {
    return s.rank == shape.rank() &&
           std::equal(shape.begin(), shape.end(), sizes_.data() + s.first);
  }
  bool has(int slot, const Shape& shape) const {
    return has(slot_sizes_[static_cast<unsigned>(slot)], shape);
  }
  static Tensor<T>& value_of(Var<T>& x) { return x.value_; }
  void add_node(const OpInfo<T>& op, Inputs<T> inputs, std::span<Tensor<T>> outputs, Saves saves,
                const void* options, std::size_t options_size, std::span<Var<T>> results);

  /// The leaf of a parameter, null when it was not watched.
  const Leaf* leaf(ParameterId id) const;
  Var<T> add_leaf(const std::shared_ptr<Cell>& cell, const Buffer& source, Tensor<T> value);

  std::vector<Node<T>> nodes;
  std::vector<Input> inputs;
  std::vector<Saved> saved;
  std::vector<Leaf> leaves;  // by id
  std::vector<std::pair<ParameterId, Tensor<T>>> substitutions;
  int slots = 0;
  Profile* profile = nullptr;    // of the tape that owns it
  std::uint64_t random_ops = 0;  // so far: the ordinal of the next one, which its stream depends on

  // Working memory of backward.
  struct Workspace {
    std::vector<int> place;  // by slot: where its cotangent lies, or -1
    std::vector<Var<T>> cotangents;
    std::vector<int> unused;   // places
    std::vector<char> wanted;  // by slot
  };
  std::vector<std::unique_ptr<Workspace>> workspaces;

 private:
  Sizes keep(const Shape& shape);

  Arena arena_;  // options of nodes
  std::vector<Sizes> slot_sizes_;
  std::vector<Size> sizes_;
};

struct InputOptions {
  bool gradient = false;
};

/// Records the ops applied to the Vars that it hands out. Not copied; used by one thread at a time;
/// any number of tapes may live.
template <Scalar T>
class Tape {
 public:
  Tape() : recording_(Recording<T>::take()) {}
  explicit Tape(const RecordingOptions& options) : Tape() { recording_->options = options; }
  Tape(Tape&& other) noexcept : recording_(std::exchange(other.recording_, nullptr)) {}
  Tape& operator=(Tape&& other) noexcept {
    std::swap(recording_, other.recording_);
    return *this;
  }
  ~Tape() {
    if (recording_) Recording<T>::give_back(recording_);
  }

  /// A value on this tape. With .gradient it is a leaf whose gradient grad() gives.
  [[nodiscard]] Var<T> input(Tensor<T> x, InputOptions options = {});
  /// The parameter's leaf on this tape: the same Var however often it is asked for. Converts the
  /// value when the scalar types differ. Error when it is not initialised, or its value has changed
  /// since it was first watched in this recording.
  template <ParameterLike P>
  [[nodiscard]] Var<T> watch(const P& parameter) const;  // in watch.hpp
  /// Watching this parameter gives `value` instead of its own, until clear(): how a gradient check
  /// perturbs a module.
  void substitute(ParameterId id, Tensor<T> value);
  /// The parameters watched in this recording.
  std::span<const typename Recording<T>::Leaf> leaves() const { return recording().leaves; }
  /// Forgets what is recorded and the substitutions. Vars of it can still give their value(),
  /// nothing else.
  void clear();

  /// From now on the time of each op, forward and backward, is added to this profile, which must
  /// outlive its use; null ends it.
  void profile(Profile* into) {
    recording().profile = into;
    if (into) into->start();
  }

  Size nodes() const { return static_cast<Size>(recording().nodes.size()); }
  RecordingOptions& options() { return recording().options; }

 private:
  Recording<T>& recording() const {
    if (!recording_) fail("tape", "it was moved away: use the tape that it was moved to");
    return *recording_;
  }
  Recording<T>* recording_;
};

extern template class Recording<float>;
extern template class Recording<double>;
extern template class Tape<float>;
extern template class Tape<double>;

}  // namespace axisgrad

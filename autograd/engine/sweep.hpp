// One pass over the nodes of a recording, last to first. Each node gives the cotangents of its
// inputs, made of those of its outputs. Seen by backward.cpp and rule.cpp alone.
#pragma once
#include <axisgrad/autograd/engine/inspect.hpp>
#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/autograd/ops/accumulate.hpp>

namespace axisgrad {

// The loop goes by index and copies the node, since under create_graph the rules append to the very
// vectors that it reads.
template <Scalar T>
class Sweep {
 public:
  // Without xs, everything that is recorded is wanted.
  Sweep(Recording<T>& recording, bool create_graph, const std::vector<Var<T>>* xs)
      : recording_(recording),
        create_graph_(create_graph),
        nodes_(recording.nodes.size()),
        space_(take_workspace()) {
    grow();
    if (xs) want(*xs);
  }
  ~Sweep() {
    space_->place.clear(), space_->cotangents.clear(), space_->unused.clear(),
        space_->wanted.clear();
    recording_.workspaces.push_back(std::move(space_));
  }
  Sweep(const Sweep&) = delete;
  Sweep& operator=(const Sweep&) = delete;

  void run() {
    for (std::size_t i = nodes_; i-- > 0;) visit(i);
  }
  // A cotangent to start from.
  void seed(int slot, Var<T> g) { (void)add(slot, std::move(g)); }
  // What the rule of a node gives to its input k.
  void add(const Node<T>& node, int k, Var<T> g) {
    const int slot = input(node, k);
    if (!wanted(slot)) return;
    if (!recording_.has(slot, g.shape()))
      fail(node.op->name, "the gradient has the shape ", g.shape(), ", its input has ",
           recording_.shape_of(slot));
    inspect_gradient(recording_, current_, k, g.value());
    if (add(slot, std::move(g)))
      inspect_gradient(recording_, current_, k, cotangent(slot)->value(), "the summed gradient");
  }

  bool wanted(int slot) const { return slot >= 0 && space_->wanted[static_cast<unsigned>(slot)]; }
  int input(const Node<T>& node, int k) const {
    return recording_.inputs[node.first_input + static_cast<unsigned>(k)].slot;
  }
  const Var<T>* cotangent(int slot) const {
    const int place = space_->place[static_cast<unsigned>(slot)];
    return place < 0 ? nullptr : &space_->cotangents[static_cast<unsigned>(place)];
  }
  // The same, zeros where there is none.
  Var<T> result(int slot) const {
    const Var<T>* g = cotangent(slot);
    return g ? *g : Var<T>(Tensor<T>(recording_.shape_of(slot), T(0)));
  }

  Recording<T>& recording() { return recording_; }
  bool create_graph() const { return create_graph_; }

 private:
  enum Wanted : char { no = 0, yes = 1, requested = 2 };

  auto take_workspace() {
    auto& free = recording_.workspaces;
    if (free.empty()) return std::make_unique<typename Recording<T>::Workspace>();
    auto space = std::move(free.back());
    free.pop_back();
    return space;
  }
  void grow() {
    space_->place.resize(static_cast<std::size_t>(recording_.slots), -1);
    space_->wanted.resize(static_cast<std::size_t>(recording_.slots), yes);
  }
  // What is wanted: the xs and all that depends on them.
  void want(const std::vector<Var<T>>& xs) {
    auto& wanted = space_->wanted;
    std::fill(wanted.begin(), wanted.end(), no);
    for (const Var<T>& x : xs) wanted[static_cast<unsigned>(recording_.slot_of(x))] = requested;
    for (const Node<T>& node : recording_.nodes) {
      bool depends = false;
      for (int k = 0; k < node.inputs; ++k) depends |= this->wanted(input(node, k));
      for (int k = 0; depends && k < node.outputs; ++k)
        wanted[static_cast<unsigned>(node.first_output + k)] |= yes;
    }
  }

  void visit(std::size_t i) {
    const Node<T> node = recording_.nodes[i];
    if (!active(node)) return;
    current_ = i;
    Rule<T> rule(*this, node);
    {
      const InspectTime time(recording_.profile, node.op->name);
      if (create_graph_ && node.op->reference)
        through_reference(rule, node);
      else
        node.op->gradient(rule);
    }
    for (int k = 0; k < node.outputs; ++k) drop(node.first_output + k);
  }
  bool active(const Node<T>& node) const {
    bool reached = false, useful = false;
    for (int k = 0; k < node.outputs; ++k) reached |= cotangent(node.first_output + k) != nullptr;
    for (int k = 0; reached && k < node.inputs; ++k) useful |= wanted(input(node, k));
    return reached && useful;
  }
  // A fused op is recorded again in public ops, and that segment is swept in its place.
  void through_reference(Rule<T>& rule, const Node<T>& node) {
    const std::size_t first = recording_.nodes.size();
    const auto outputs = node.op->reference(rule);
    const std::size_t last = recording_.nodes.size();
    grow();
    for (int k = 0; k < node.outputs; ++k)
      if (rule.has_cotangent(k))
        seed(recording_.slot_of(outputs[static_cast<unsigned>(k)]), rule.cotangent(k));
    for (std::size_t i = last; i-- > first;) visit(i);
  }
  // True when it was added to one that was there.
  bool add(int slot, Var<T> g) {
    if (slot >= static_cast<int>(space_->place.size())) grow();
    if (!wanted(slot)) return false;
    int& place = space_->place[static_cast<unsigned>(slot)];
    if (place >= 0) {
      auto& sum = space_->cotangents[static_cast<unsigned>(place)];
      if (create_graph_)
        sum = axisgrad::add(sum, g);
      else
        accumulate(Recording<T>::value_of(sum), g.value());
      return true;
    }
    if (space_->unused.empty()) {
      place = static_cast<int>(space_->cotangents.size());
      space_->cotangents.emplace_back();
    } else {
      place = space_->unused.back();
      space_->unused.pop_back();
    }
    Var<T>& first = space_->cotangents[static_cast<unsigned>(place)];
    if (create_graph_)
      first = std::move(g);
    else  // a constant
      Recording<T>::value_of(first) = std::move(g).value();
    return false;
  }
  void drop(int slot) {
    if (space_->wanted[static_cast<unsigned>(slot)] & requested) return;
    int& place = space_->place[static_cast<unsigned>(slot)];
    if (place < 0) return;
    space_->cotangents[static_cast<unsigned>(place)] = Var<T>();
    space_->unused.push_back(std::exchange(place, -1));
  }

  Recording<T>& recording_;
  const bool create_graph_;
  const std::size_t nodes_;  // at the start: what rules record comes after
  std::unique_ptr<typename Recording<T>::Workspace> space_;
  std::size_t current_ = 0;
};

}  // namespace axisgrad

#include <bit>
#include <typeinfo>

#include <axisgrad/autograd/backward.hpp>
#include <axisgrad/autograd/kernels/parallel.hpp>
#include <axisgrad/autograd/ops.hpp>

namespace axisgrad {

namespace {

// sum += g, in place where nobody else holds the sum.
template <Scalar T>
void accumulate(Tensor<T>& sum, const Tensor<T>& g) {
  if (!sum.buffer().unique()) {
    sum = add(Var<T>(sum), Var<T>(g)).value();
    return;
  }
  constexpr Size chunk = Size(1) << 16, parallel_from = Size(1) << 18;
  T* to = sum.mutable_data();
  const T* from = g.data();
  const auto part = [&](Size begin, Size end) {
    kernels::Run<T> run;
    run.n = end - begin, run.in = {to + begin, from + begin}, run.step = {1, 1};
    run.out = to + begin;
    kernels::pointwise<formulas::add_op, T>().value(run);
  };
  if (g.size() < parallel_from) return part(0, g.size());
  kernels::parallel_chunks(g.size(), chunk, part);
}

}  // namespace

// One pass over nodes, last to first. Each node gives the cotangents of its inputs, made of those
// of its outputs. The loop goes by index and copies the node, since under create_graph the rules
// append to the very vectors that it reads.
template <Scalar T>
class Sweep {
 public:
  enum Wanted : char { no = 0, yes = 1, requested = 2 };

  // Without xs, everything that is recorded is wanted.
  Sweep(Recording<T>& recording, bool create_graph, const std::vector<Var<T>>* xs)
      : recording_(recording), create_graph_(create_graph), space_(take_workspace()) {
    grow();
    if (xs) want(*xs);
  }
  ~Sweep() {
    space_->place.clear(), space_->cotangents.clear(), space_->unused.clear(),
        space_->wanted.clear();
    recording_.workspaces.push_back(std::move(space_));
  }

  void run(std::size_t first, std::size_t last) {
    for (std::size_t i = last; i-- > first;) {
      const Node<T> node = recording_.nodes[i];
      if (!active(node)) continue;
      current_ = node.op->name;
      Rule<T> rule(*this, node);
      const Profile::Time start = recording_.profile ? Profile::now() : Profile::Time();
      if (create_graph_ && node.op->reference)
        through_reference(rule, node);
      else
        node.op->gradient(rule);
      if (recording_.profile) recording_.profile->backward(node.op->name, start);
      for (int k = 0; k < node.outputs; ++k) drop(node.first_output + k);
    }
  }

  bool wanted(int slot) const { return slot >= 0 && space_->wanted[static_cast<unsigned>(slot)]; }
  const Var<T>* cotangent(int slot) const {
    const int place = space_->place[static_cast<unsigned>(slot)];
    return place < 0 ? nullptr : &space_->cotangents[static_cast<unsigned>(place)];
  }
  void add(int slot, Var<T> g) {
    if (slot >= static_cast<int>(space_->place.size())) grow();
    if (!wanted(slot)) return;
    if (!recording_.has(slot, g.shape()))
      fail(current_, "the gradient has the shape ", g.shape(), ", its input has ",
           recording_.shape_of(slot));
    if (recording_.options.check_finite)
      require_finite(g.value(), current_, "in backward: a cotangent that it passes on");
    int& place = space_->place[static_cast<unsigned>(slot)];
    if (place >= 0) {
      auto& sum = space_->cotangents[static_cast<unsigned>(place)];
      if (create_graph_)
        sum = axisgrad::add(sum, g);
      else
        accumulate(Recording<T>::value_of(sum), g.value());
      return;
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
      Recording<T>::value_of(first) = std::move(Recording<T>::value_of(g));
  }
  Var<T> result(int slot) const {
    const Var<T>* g = cotangent(slot);
    return g ? *g : Var<T>(Tensor<T>(recording_.shape_of(slot), T(0)));
  }

  Recording<T>& recording() { return recording_; }
  bool create_graph() const { return create_graph_; }

 private:
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
  int input(const Node<T>& node, int k) const {
    return recording_.inputs[node.first_input + static_cast<unsigned>(k)].slot;
  }
  bool active(const Node<T>& node) const {
    bool reached = false, useful = false;
    for (int k = 0; k < node.outputs; ++k) reached |= cotangent(node.first_output + k) != nullptr;
    for (int k = 0; reached && k < node.inputs; ++k) useful |= wanted(input(node, k));
    return reached && useful;
  }
  void drop(int slot) {
    if (space_->wanted[static_cast<unsigned>(slot)] & requested) return;
    int& place = space_->place[static_cast<unsigned>(slot)];
    if (place < 0) return;
    space_->cotangents[static_cast<unsigned>(place)] = Var<T>();
    space_->unused.push_back(std::exchange(place, -1));
  }
  // A fused op is recorded again in public ops, and that segment is swept in its place.
  void through_reference(Rule<T>& rule, const Node<T>& node) {
    const std::size_t first = recording_.nodes.size();
    const auto outputs = node.op->reference(rule);
    const std::size_t last = recording_.nodes.size();
    grow();
    for (int k = 0; k < node.outputs; ++k)
      if (rule.has_cotangent(k))
        add(recording_.slot_of(outputs[static_cast<unsigned>(k)]), rule.cotangent(k));
    run(first, last);
  }

  Recording<T>& recording_;
  const bool create_graph_;
  std::unique_ptr<typename Recording<T>::Workspace> space_;
  std::string_view current_ = "grad";
};

template <Scalar T>
int Rule<T>::inputs() const {
  return node_.inputs;
}
template <Scalar T>
bool Rule<T>::needs(int k) const {
  if (k < 0 || k >= node_.inputs)
    fail(node_.op->name, "the gradient rule names input ", k, ", the op has ", node_.inputs);
  return sweep_.wanted(
      sweep_.recording().inputs[node_.first_input + static_cast<unsigned>(k)].slot);
}
template <Scalar T>
Shape Rule<T>::shape(int k) const {
  const auto& input = sweep_.recording().inputs[node_.first_input + static_cast<unsigned>(k)];
  return input.slot < 0 ? sweep_.recording().shape(input.sizes)
                        : sweep_.recording().shape_of(input.slot);
}
template <Scalar T>
bool Rule<T>::has_shape(int k, const Shape& shape) const {
  const auto& input = sweep_.recording().inputs[node_.first_input + static_cast<unsigned>(k)];
  return input.slot < 0 ? sweep_.recording().has(input.sizes, shape)
                        : sweep_.recording().has(input.slot, shape);
}
template <Scalar T>
std::size_t Rule<T>::saved(const char* what, unsigned set, int k, std::size_t first) const {
  if (!Saves::has(set, k))
    fail(node_.op->name, "its gradient rule reads ", what, ' ', k,
         ", which record() was not told to save");
  return first + static_cast<std::size_t>(std::popcount(set & ((1u << k) - 1)));
}
template <Scalar T>
std::size_t Rule<T>::saved_input(int k) const {
  return saved("input", node_.saves.inputs, k, node_.first_saved);
}
template <Scalar T>
std::size_t Rule<T>::saved_output(int k) const {
  const auto inputs = static_cast<std::size_t>(std::popcount(node_.saves.inputs));
  return saved("output", node_.saves.outputs, k, node_.first_saved + inputs);
}
template <Scalar T>
Var<T> Rule<T>::saved(std::size_t position) const {
  const auto& saved = sweep_.recording().saved[position];
  return sweep_.create_graph() ? sweep_.recording().at(saved.value, saved.slot)
                               : Var<T>(saved.value);
}
template <Scalar T>
Var<T> Rule<T>::input(int k) const {
  return saved(saved_input(k));
}
template <Scalar T>
Var<T> Rule<T>::output(int k) const {
  return saved(saved_output(k));
}
template <Scalar T>
const Tensor<T>& Rule<T>::input_value(int k) const {
  return sweep_.recording().saved[saved_input(k)].value;
}
template <Scalar T>
const Tensor<T>& Rule<T>::output_value(int k) const {
  return sweep_.recording().saved[saved_output(k)].value;
}
template <Scalar T>
const Tensor<T>& Rule<T>::cotangent_value(int k) const {
  return sweep_.cotangent(node_.first_output + k)->value();
}
template <Scalar T>
bool Rule<T>::has_cotangent(int k) const {
  return sweep_.cotangent(node_.first_output + k) != nullptr;
}
template <Scalar T>
Var<T> Rule<T>::cotangent(int k) const {
  return sweep_.result(node_.first_output + k);
}
template <Scalar T>
void Rule<T>::add(int k, const Var<T>& g) {
  if (needs(k))
    sweep_.add(sweep_.recording().inputs[node_.first_input + static_cast<unsigned>(k)].slot, g);
}
template <Scalar T>
void Rule<T>::add(int k, Tensor<T>&& g) {
  if (needs(k))
    sweep_.add(sweep_.recording().inputs[node_.first_input + static_cast<unsigned>(k)].slot,
               Var<T>(std::move(g)));
}
template <Scalar T>
bool Rule<T>::recording() const {
  return sweep_.create_graph();
}
template <Scalar T>
const void* Rule<T>::options_data() const {
  return node_.options;
}

template <Scalar T>
void backward(const Var<T>& loss, BackwardOptions options) {
  Recording<T>::require_live(loss, "backward");
  if (loss.size() != 1)
    fail("backward", "needs a loss of one element, got the shape ", loss.shape());
  if (!loss.has_gradient())
    fail("backward",
         "the loss depends on no trainable parameter and on no input that asks for a gradient");
  auto& recording = *Recording<T>::of(loss);
  // Whether a leaf has a gradient was decided when it was watched, whatever `trainable` is now.
  for (const auto& leaf : recording.leaves) {
    if (!leaf.var.has_gradient()) continue;
    const Cell& cell = *leaf.cell;
    if (typeid(cell) != typeid(GradientCell<T>))
      fail("backward", "the parameter '", cell.name,
           "' has another scalar type than the tape: take its gradient with grad()");
    const Tensor<T>& grad = static_cast<const GradientCell<T>&>(cell).grad;
    if (!grad.empty() && grad.shape() != leaf.var.shape())
      fail("backward", "the grad of '", cell.name, "' has the shape ", grad.shape(), ", its value ",
           leaf.var.shape());
  }
  {
    Sweep<T> sweep(recording, false, nullptr);
    sweep.add(recording.slot_of(loss), Var<T>(Tensor<T>(loss.shape(), T(1))));
    sweep.run(0, recording.nodes.size());
    for (const auto& leaf : recording.leaves) {
      const Var<T>* g =
          leaf.var.has_gradient() ? sweep.cotangent(recording.slot_of(leaf.var)) : nullptr;
      if (!g) continue;
      Tensor<T>& sum = static_cast<GradientCell<T>&>(*leaf.cell).grad;
      if (sum.empty())
        sum = g->value();
      else
        accumulate(sum, g->value());
    }
  }
  if (!options.retain) recording.end(TapeBlock::End::released);
}

template <Scalar T>
std::vector<Var<T>> grad(const std::vector<Var<T>>& ys, const std::vector<Var<T>>& xs,
                         const std::type_identity_t<GradOptions<T>>& options) {
  if (xs.empty()) return {};
  std::vector<const Var<T>*> all;
  for (const Var<T>& y : ys) all.push_back(&y);
  for (const Var<T>& x : xs) {
    if (!x.has_gradient())
      fail("grad", "x number ", &x - xs.data(), " of shape ", x.shape(),
           " asks for no gradient: make it with tape.input(x, {.gradient = true})");
    all.push_back(&x);
  }
  for (const Var<T>& g : options.cotangents) all.push_back(&g);
  auto& recording = *Recording<T>::common(all, "grad");
  if (!options.cotangents.empty() && options.cotangents.size() != ys.size())
    fail("grad", "got ", options.cotangents.size(), " cotangents for ", ys.size(), " outputs");

  Sweep<T> sweep(recording, options.create_graph, &xs);
  const std::size_t last = recording.nodes.size();
  for (std::size_t i = 0; i < ys.size(); ++i) {
    const Var<T>& y = ys[i];
    if (!y.on_tape() && !options.allow_constant)
      fail("grad", "y number ", i, " of shape ", y.shape(),
           " is a constant, on no tape: it depends ",
           "on no x. (A gradient is one, unless it was taken with .create_graph)");
    if (options.cotangents.empty() && y.size() != 1)
      fail("grad", "y of shape ", y.shape(), " needs a cotangent: pass .cotangents");
    const Var<T> g =
        options.cotangents.empty() ? Var<T>(Tensor<T>(y.shape(), T(1))) : options.cotangents[i];
    if (g.shape() != y.shape())
      fail("grad", "the cotangent has the shape ", g.shape(), ", y has ", y.shape());
    if (y.has_gradient()) sweep.add(recording.slot_of(y), g);
  }
  sweep.run(0, last);
  std::vector<Var<T>> result;
  for (const Var<T>& x : xs) {
    Var<T> g = sweep.result(recording.slot_of(x));
    // Under create_graph on the tape even where it depends on nothing: a constant is then known to
    // be one.
    result.push_back(options.create_graph && !g.on_tape() ? recording.place(g.value(), false)
                                                          : std::move(g));
  }
  return result;
}

template class Rule<float>;
template class Rule<double>;
template void backward(const Var<float>&, BackwardOptions);
template void backward(const Var<double>&, BackwardOptions);
template std::vector<Var<float>> grad(const std::vector<Var<float>>&,
                                      const std::vector<Var<float>>&, const GradOptions<float>&);
template std::vector<Var<double>> grad(const std::vector<Var<double>>&,
                                       const std::vector<Var<double>>&, const GradOptions<double>&);

}  // namespace axisgrad

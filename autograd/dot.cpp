#include <sstream>
#include <vector>

#include <axisgrad/autograd/dot.hpp>
#include <axisgrad/autograd/tape.hpp>

namespace axisgrad {
namespace {

// As a quoted string of DOT.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n')
      result += "\\n";
    else
      result += c;
  }
  return result + "\"";
}

template <Scalar T>
class Drawing {
 public:
  explicit Drawing(const Recording<T>& recording)
      : recording_(recording),
        maker_(static_cast<std::size_t>(recording.slots), -1),
        reached_(recording.nodes.size()),
        drawn_(static_cast<std::size_t>(recording.slots)) {
    for (std::size_t n = 0; n < recording.nodes.size(); ++n)
      for (int k = 0; k < recording.nodes[n].outputs; ++k)
        maker_[at(recording.nodes[n].first_output + k)] = static_cast<int>(n);
  }

  std::string of(int slot) {
    out_ << "digraph recording {\n  rankdir=TB;\n  node [shape=box, fontname=\"sans-serif\"];\n";
    // From the last op to the first: an op is reached before what it was made of.
    if (const int n = maker_[at(slot)]; n >= 0)
      reached_[at(n)] = true;
    else
      leaf(slot);
    for (std::size_t n = recording_.nodes.size(); n-- > 0;)
      if (reached_[n]) node(n);
    out_ << "  result [shape=plaintext];\n";
    edge(slot, recording_.shape_of(slot), "result");
    out_ << "}\n";
    return out_.str();
  }

 private:
  static std::size_t at(int k) { return static_cast<std::size_t>(k); }

  void node(std::size_t n) {
    const Node<T>& node = recording_.nodes[n];
    out_ << "  op" << n << " [label=" << quoted(std::string(node.op->name)) << "];\n";
    for (int k = 0; k < node.inputs; ++k) {
      const auto& in = recording_.inputs[node.first_input + at(k)];
      const Shape shape = in.slot < 0 ? recording_.shape(in.sizes) : recording_.shape_of(in.slot);
      const std::string to = text_of("op", n);
      if (in.slot < 0) {
        // Constants, and what else asks for no gradient, are not on the tape.
        const std::string name = text_of("constant", constants_++);
        out_ << "  " << name << " [label=" << quoted(text_of("constant\n", shape))
             << ", style=dashed];\n  " << name << " -> " << to << " [style=dashed];\n";
        continue;
      }
      if (const int maker = maker_[at(in.slot)]; maker >= 0)
        reached_[at(maker)] = true;
      else
        leaf(in.slot);
      edge(in.slot, shape, to);
    }
  }

  void leaf(int slot) {
    if (drawn_[at(slot)]) return;
    drawn_[at(slot)] = true;
    std::string label = "input";
    for (const auto& leaf : recording_.leaves)
      if (recording_.slot_of(leaf.var) == slot) label = leaf.cell->name;
    out_ << "  leaf" << slot
         << " [shape=ellipse, label=" << quoted(text_of(label, '\n', recording_.shape_of(slot)))
         << "];\n";
  }

  void edge(int slot, const Shape& shape, const std::string& to) {
    const int maker = maker_[at(slot)];
    out_ << "  " << (maker >= 0 ? text_of("op", maker) : text_of("leaf", slot)) << " -> " << to
         << " [label=" << quoted(text_of(shape)) << "];\n";
  }

  const Recording<T>& recording_;
  std::vector<int> maker_;  // by slot: its node, -1 for a leaf
  std::vector<bool> reached_, drawn_;
  int constants_ = 0;
  std::ostringstream out_;
};

}  // namespace

template <Scalar T>
std::string to_dot(const Var<T>& y) {
  Recording<T>::require_live(y, "to_dot");
  const auto* recording = Recording<T>::of(y);
  if (!recording || recording->slot_of(y) < 0)
    fail("to_dot", "the value of shape ", y.shape(),
         " is no result of a recording: nothing in it asks for a gradient");
  return Drawing<T>(*recording).of(recording->slot_of(y));
}

template std::string to_dot(const Var<float>&);
template std::string to_dot(const Var<double>&);

}  // namespace axisgrad

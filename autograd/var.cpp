#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/var.hpp>

namespace axisgrad {

void TapeBlock::fail_over(std::uint64_t of_var, std::string_view where) const {
  if (of_var < first_generation)
    fail(where,
         "a Var outlived its tape: the tape no longer exists; value() and detach() still work");
  if (of_var + 1 < generation)
    fail(where, "a Var belongs to an earlier recording of its tape, which was cleared or released");
  if (last_end == End::released)
    fail(where,
         "a Var belongs to a recording that backward() has released; pass {.retain = true} to keep "
         "it, or detach() the Var");
  fail(where, "a Var belongs to a recording that clear() has ended");
}

}  // namespace axisgrad

// A compile-time list of types: how the ops of a family are named in one place.
#pragma once
#include <cstddef>
#include <type_traits>

namespace axisgrad {

template <class... Ops>
struct list {
  static constexpr std::size_t size = sizeof...(Ops);
};

/// Position of Op in a list; -1 when it is not there.
template <class Op, class List>
inline constexpr int index_of = -1;
template <class Op, class... Ops>
inline constexpr int index_of<Op, list<Ops...>> = [] {
  int at = 0, found = -1;
  ((found = found < 0 && std::is_same_v<Op, Ops> ? at : found, ++at), ...);
  return found;
}();

}  // namespace axisgrad

#include <algorithm>
#include <ostream>

#include <axisgrad/autograd/error.hpp>
#include <axisgrad/autograd/shape.hpp>

namespace axisgrad {

Shape::Shape(std::initializer_list<Size> sizes)
    : Shape(sizes.begin(), static_cast<int>(sizes.size())) {}

Shape::Shape(const Size* sizes, int rank) : rank_(rank) {
  if (rank > max_rank) fail("shape", "at most ", max_rank, " axes, got ", rank);
  std::copy(sizes, sizes + rank, sizes_.begin());
  // The product of the sizes that are not 0 must fit as well: strides are made of it.
  Size product = 1;
  bool empty = false;
  for (Size n : *this) {
    if (n < 0) fail("shape", "a size is negative in ", *this);
    if (n == 0)
      empty = true;
    else if (__builtin_mul_overflow(product, n, &product) || product > Size(1) << 59)
      fail("shape", "too many elements in ", *this);
  }
  size_ = empty ? 0 : product;
}

Shape Shape::with(int axis, Size size) const {
  std::array<Size, max_rank> sizes = sizes_;
  sizes[static_cast<unsigned>(axis)] = size;
  return {sizes.data(), rank_};
}

Shape Shape::inserted(int axis, Size size) const {
  if (rank_ == max_rank) fail("shape", "no further axis fits into ", *this, ": at most ", max_rank);
  std::array<Size, max_rank> sizes{};
  std::copy(begin(), begin() + axis, sizes.begin());
  sizes[static_cast<unsigned>(axis)] = size;
  std::copy(begin() + axis, end(), sizes.begin() + axis + 1);
  return {sizes.data(), rank_ + 1};
}

Shape Shape::without(unsigned axes, bool keep) const {
  std::array<Size, max_rank> sizes{};
  int rank = 0;
  for (int a = 0; a < rank_; ++a)
    if (!(axes >> a & 1))
      sizes[static_cast<unsigned>(rank++)] = (*this)[a];
    else if (keep)
      sizes[static_cast<unsigned>(rank++)] = 1;
  return {sizes.data(), rank};
}

Size Shape::product(int first, int last) const {
  Size n = 1;
  for (int a = first; a < last; ++a) n *= (*this)[a];
  return n;
}

bool operator==(const Shape& a, const Shape& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

std::ostream& operator<<(std::ostream& out, const Shape& shape) {
  out << '(';
  for (int a = 0; a < shape.rank(); ++a) out << (a ? "," : "") << shape[a];
  return out << ')';
}

Shape broadcast(const Shape& a, const Shape& b, std::string_view where) {
  if (a == b) return a;
  const int rank = std::max(a.rank(), b.rank());
  std::array<Size, max_rank> sizes{};
  for (int i = 1; i <= rank; ++i) {
    const Size n = i <= a.rank() ? a[a.rank() - i] : 1, m = i <= b.rank() ? b[b.rank() - i] : 1;
    if (n != m && n != 1 && m != 1) fail(where, "shapes do not broadcast: got ", a, " and ", b);
    sizes[static_cast<unsigned>(rank - i)] = n == 1 ? m : n;
  }
  return {sizes.data(), rank};
}

std::vector<Size> unravel_index(const Shape& shape, Size at) {
  std::vector<Size> index(static_cast<std::size_t>(shape.rank()));
  for (int a = shape.rank(); a-- > 0; at /= shape[a])
    index[static_cast<unsigned>(a)] = at % shape[a];
  return index;
}

bool broadcasts_to(const Shape& from, const Shape& to) {
  if (from.rank() > to.rank()) return false;
  for (int i = 1; i <= from.rank(); ++i) {
    const Size n = from[from.rank() - i];
    if (n != 1 && n != to[to.rank() - i]) return false;
  }
  return true;
}

}  // namespace axisgrad

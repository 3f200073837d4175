#include <atomic>
#include <stdexcept>
#include <thread>

#include <axisgrad/autograd/error.hpp>

#include "common.hpp"

namespace axisgrad::kernels {

TEST_CASE("chunks cover the range once, with fixed borders") {
  for (int n : {1, 2, 4}) {
    const Threads use(n);
    for (Index size : {0, 1, 7, 64, 1000})
      for (Index chunk : {1, 3, 64, 5000}) {
        std::vector<std::atomic<int>> seen(size);
        std::atomic<bool> borders = true;
        parallel_chunks(size, chunk, [&](Index begin, Index end) {
          if (begin % chunk || end != std::min(size, begin + chunk)) borders = false;
          for (Index i = begin; i < end; ++i) ++seen[i];
        });
        bool once = true;
        for (auto& s : seen) once = once && s == 1;
        CHECK(once);
        CHECK(borders);
      }
  }
}

TEST_CASE("a loop inside a chunk runs serially, on the thread of the chunk") {
  const Threads use(4);
  std::atomic<int> wrong = 0, inner = 0;
  CHECK_FALSE(in_parallel());
  parallel_chunks(16, 1, [&](Index, Index) {
    if (!in_parallel()) ++wrong;
    const auto self = std::this_thread::get_id();
    parallel_chunks(50, 1, [&](Index, Index) {
      ++inner;
      if (std::this_thread::get_id() != self) ++wrong;
    });
    if (!in_parallel()) ++wrong;
  });
  CHECK_FALSE(in_parallel());
  CHECK(wrong == 0);
  CHECK(inner == 16 * 50);
}

TEST_CASE("exceptions reach the caller") {
  for (int n : {1, 2}) {
    const Threads use(n);
    CHECK_THROWS_WITH_AS(parallel_chunks(100, 1,
                                         [](Index i, Index) {
                                           if (i == 42) throw std::runtime_error("chunk 42");
                                         }),
                         "chunk 42", std::runtime_error);
    CHECK_FALSE(in_parallel());
  }
}

TEST_CASE("one thread means the caller's") {
  const Threads use(1);
  const auto self = std::this_thread::get_id();
  bool others = false;
  parallel_chunks(100, 1, [&](Index, Index) { others |= std::this_thread::get_id() != self; });
  CHECK_FALSE(others);
}

TEST_CASE("several callers at once") {
  const Threads use(2);
  std::atomic<Index> sum = 0;
  std::vector<std::thread> callers;
  for (int t = 0; t < 3; ++t)
    callers.emplace_back([&] {
      for (int r = 0; r < 50; ++r)
        parallel_chunks(64, 4, [&](Index begin, Index end) { sum += end - begin; });
    });
  for (auto& c : callers) c.join();
  CHECK(sum == 3 * 50 * 64);
}

TEST_CASE("set_threads refuses what is not a number of threads") {
  CHECK_THROWS_WITH_AS(set_threads(0), "[set_threads] expected a positive number: got 0", Error);
}

}  // namespace axisgrad::kernels

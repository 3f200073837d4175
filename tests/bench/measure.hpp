// How the time of one step is taken: the rule of the peers' programs, so that figures compare.
#pragma once
#include <algorithm>
#include <chrono>
#include <vector>

#include <time.h>

namespace bench {

/// wall: what a user waits for. cpu: the processor time of all threads of this process, which other
/// programs on the machine disturb little; it says nothing about more than one thread.
enum class Clock { wall, cpu };

inline double seconds(Clock clock) {
  if (clock == Clock::wall)
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

struct Settings {
  double seconds = 1;  // of measuring, at least; and at least 30 blocks, or 6 times as long
  Clock clock = Clock::wall;
  int steps = 0;  // more than 0: take so many steps and no time
};

/// Median time of a step in microseconds, over blocks of about 20 ms, after 5 steps of warming up.
template <class Step>
double measure(const Settings& settings, const Step& step) {
  const auto now = [&] { return seconds(settings.clock); };
  for (int i = 0; i < 5; ++i) step();
  double t = now();
  step();
  const int per_block = std::max(1, static_cast<int>(.02 / std::max(now() - t, 1e-8)));
  std::vector<double> blocks;
  const double start = now();
  while (blocks.size() < 30 || now() - start < settings.seconds) {
    t = now();
    for (int i = 0; i < per_block; ++i) step();
    blocks.push_back((now() - t) / per_block);
    if (blocks.size() >= 8 && now() - start > 6 * settings.seconds) break;
  }
  const auto middle = blocks.begin() + static_cast<std::ptrdiff_t>(blocks.size() / 2);
  std::nth_element(blocks.begin(), middle, blocks.end());
  return *middle * 1e6;
}

}  // namespace bench

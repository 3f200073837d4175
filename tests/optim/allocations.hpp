// Counts what the whole test program allocates.
#pragma once
#include <atomic>

extern std::atomic<long> allocations;

// Threads. One level of parallelism: a loop inside a chunk of another loop runs serially.
#pragma once
#include <axisgrad/autograd/kernels/function_ref.hpp>
#include <axisgrad/autograd/kernels/table.hpp>

namespace axisgrad::kernels {

/// How many threads a kernel may use, the caller's included; 1 starts none. Not while kernels run.
/// Error unless n > 0.
/// At first: the environment variable AXISGRAD_THREADS, else the hardware's number.
void set_threads(int n);
int threads();

/// True within a chunk of parallel_chunks.
bool in_parallel();

/// f(begin, end) for the chunks [0, chunk), [chunk, 2 chunk), ... of [0, n). The borders do not
/// depend on the number of threads. Waking a worker takes 25 to 75 us: less than about 100 us of
/// work should not come here in more than one chunk. An exception of f is thrown to the caller, and
/// chunks not yet begun are dropped.
void parallel_chunks(Index n, Index chunk, function_ref<void(Index begin, Index end)> f);

}  // namespace axisgrad::kernels

#include <axisgrad/nn/multi_head_attention.hpp>

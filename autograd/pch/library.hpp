// Precompiled for the sources of the library, which all begin with these: parsing them takes most
// of the time of a file. Each file still includes what it uses.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <functional>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include <axisgrad/autograd/ops.hpp>
#include <axisgrad/autograd/tape.hpp>

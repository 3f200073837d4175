// Precompiled for the examples. Each file still includes what it uses. (Without nlohmann/json.hpp:
// what its inline functions use would be instantiated anew in each file, a third of a second, and
// few use it.)
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <axisgrad/axisgrad.hpp>

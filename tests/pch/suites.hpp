// Precompiled for the suites. Each file still includes what it uses.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <axisgrad/axisgrad.hpp>

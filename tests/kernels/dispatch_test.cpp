#include <cstdio>

#include <axisgrad/autograd/error.hpp>

#include "common.hpp"

namespace axisgrad::kernels {
namespace {
// Runs this program again, on a test that only prints the choice, with a variable set.
std::string run_with(const char* variable) {
  const std::string command =
      std::string(variable) + " /proc/$PPID/exe -tc='*print the architecture*' 2>&1";
  std::string out;
  FILE* pipe = ::popen(command.c_str(), "r");
  REQUIRE(pipe);
  for (char text[256]; std::fgets(text, sizeof text, pipe);) out += text;
  ::pclose(pipe);
  return out;
}
bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}
}  // namespace

TEST_CASE("print the architecture") {
  CHECK(has_arch(arch()));
  std::printf("arch=%s threads=%d\n", std::string(arch()).c_str(), threads());
}

TEST_CASE("AXISGRAD_ARCH and AXISGRAD_THREADS choose") {
  for (std::string name : {"sse2", "avx2", "avx512"}) {
    const std::string out = run_with(("AXISGRAD_ARCH=" + name).c_str());
    CAPTURE(out);
    CHECK(contains(out, has_arch(name) ? "arch=" + name
                                       : "[kernels] this CPU, or this build, has no " + name));
  }
  CHECK(contains(run_with("AXISGRAD_ARCH=neon"),
                 "[kernels] unknown architecture 'neon': expected sse2, avx2 or avx512"));
  CHECK(contains(run_with("AXISGRAD_THREADS=3"), "threads=3"));
  for (const char* bad : {"0", "-1", "two", "2x", "''"})
    CHECK(contains(run_with((std::string("AXISGRAD_THREADS=") + bad).c_str()),
                   "[threads] AXISGRAD_THREADS must be a positive number: got '"));
}

TEST_CASE("the tables name their architecture") {
  for_each_arch([] { CHECK(arch() == table<double>().arch); });
  CHECK_THROWS_WITH_AS(use_arch("mmx"),
                       "[kernels] unknown architecture 'mmx': expected sse2, avx2 or avx512",
                       Error);
  CHECK_FALSE(has_arch("mmx"));
}

}  // namespace axisgrad::kernels

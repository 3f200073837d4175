// What a profile counts. Times are checked as far as they are certain.
#include <sstream>

#include <doctest/doctest.h>

#include <axisgrad/autograd/backward.hpp>
#include <axisgrad/autograd/ops.hpp>

using namespace axisgrad;

namespace {

const Profile::Row* find(const std::vector<Profile::Row>& rows, std::string_view op) {
  for (const auto& r : rows)
    if (r.op == op) return &r;
  return nullptr;
}

void step(Tape<float>& tape) {
  const auto x = tape.input(Tensor<float>({3, 4}, 1.f), {.gradient = true});
  const auto y = tape.input(Tensor<float>({4, 5}, 2.f));
  backward(sum(tanh(matmul(x, y)) + matmul(x, y)));
}

}  // namespace

TEST_CASE("profile: calls, bytes and operations of each op, forward and backward") {
  Profile profile;
  Tape<float> tape;
  tape.profile(&profile);
  step(tape), step(tape);
  const auto rows = profile.rows();
  const auto* product = find(rows, "matmul");
  REQUIRE(product);
  CHECK(product->calls == 4);
  CHECK(product->flops == 4 * 2.0 * 3 * 4 * 5);
  CHECK(product->bytes == 4 * sizeof(float) * (3.0 * 4 + 4 * 5 + 3 * 5));
  CHECK(product->forward > 0);
  CHECK(product->backward > 0);
  REQUIRE(find(rows, "tanh"));
  CHECK(find(rows, "tanh")->calls == 2);
  CHECK(find(rows, "tanh")->flops == 0);
  for (std::size_t k = 1; k < rows.size(); ++k)
    CHECK(rows[k - 1].forward + rows[k - 1].backward >= rows[k].forward + rows[k].backward);
}

TEST_CASE("profile: ends with null or with the tape, and starts afresh after clear()") {
  Profile profile;
  {
    Tape<float> tape;
    tape.profile(&profile);
    step(tape);
    tape.profile(nullptr);
    step(tape);
    tape.profile(&profile);
  }
  Tape<float> other;  // the block of the tape that is gone serves again
  step(other);
  REQUIRE(find(profile.rows(), "tanh"));
  CHECK(find(profile.rows(), "tanh")->calls == 1);
  profile.clear();
  CHECK(profile.rows().empty());
}

TEST_CASE("profile: a product with transposed sides and a batch counts its own sizes") {
  Profile profile;
  Tape<double> tape;
  tape.profile(&profile);
  const auto a = tape.input(Tensor<double>({6, 4, 3}, 1.)),
             b = tape.input(Tensor<double>({5, 4}, 1.));
  const auto c = matmul(a, b, {.transpose_a = true, .transpose_b = true});
  CHECK(c.shape() == Shape{6, 3, 5});
  CHECK(find(profile.rows(), "matmul")->flops == 2.0 * 6 * 3 * 5 * 4);
}

TEST_CASE("profile: printed as a table, the longest first") {
  Profile profile;
  profile.start();
  profile.forward("quick", 0, 0);
  profile.forward("slow", 1e3, 2e3);
  profile.backward("slow", Profile::now() - std::chrono::seconds(1));
  std::ostringstream text;
  text << profile;
  const std::string s = text.str();
  CHECK(s.rfind("op   ", 0) == 0);
  CHECK(s.find("GFLOP/s") != std::string::npos);
  CHECK(s.find("\nslow") < s.find("\nquick"));
  CHECK(s.find("100.0%") != std::string::npos);
}

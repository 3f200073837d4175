// The main job: runs the lessons about attention blocks, one after the other, and collects what
// they found into one table and summary.json. examples/run.sh builds and starts it.
#include <cstdlib>
#include <fstream>

#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

#include "common/lesson.hpp"
#include "common/results.hpp"

namespace fs = std::filesystem;

int main(int argc, char** argv) {
  const fs::path programs = fs::absolute(argv[0]).parent_path();
  return lesson::run(
      argc, argv, "Gradient checks, trainings, pictures and a table",
      [&](const lesson::Options& options) {
        bool all = true;
        std::vector<fs::path> parts;
        for (const std::string name :
             {"04_time_block", "05_feature_block", "09_attention_axes", "10_masks_and_dropout",
              "12_two_time_attentions", "16_dual_stage", "17_own_history", "20_one_variable_asks",
              "21_same_shape", "22_attention_or_correlation", "06_etth1"}) {
          fmt::print("== {}\n", name);
          std::fflush(stdout);
          parts.push_back(options.out / (name + ".json"));
          fs::remove(parts.back());
          const std::string command = lesson::quoted((programs / name).string()) + " --out " +
                                      lesson::quoted(options.out.string()) +
                                      (options.quick ? " --quick" : "");
          const int status = std::system(command.c_str());
          if (WIFSIGNALED(status)) return false;  // Ctrl-C
          all = all && status == 0;
          fmt::print("\n");
        }
        const auto summary = lesson::join(parts);
        std::ofstream(options.out / "summary.json") << summary.dump(2) << '\n';
        fmt::print("{}\n", lesson::table(summary));
        if (!all) fmt::print("Not every claim is true: see FALSE above.\n");
        fmt::print("Pictures and summary.json are in {}\n", options.out.string());
        return all;
      });
}

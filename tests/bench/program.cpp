#include "program.hpp"

#include <iostream>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace bench {

struct Options::App {
  CLI::App app;
  std::string clock = "wall";
  Settings* settings = nullptr;
};

Options::Options(const std::string& about) : app_(new App{CLI::App(about)}) {}
Options::~Options() = default;

void Options::text(const char* name, std::string& value, const char* what, Kind kind,
                   const Names& allowed) {
  CLI::Option* option = app_->app.add_option(name, value, what);
  option->required(kind == Kind::required);
  if (!allowed.empty()) option->check(CLI::IsMember(allowed));
}
void Options::list(const char* name, Names& values, const char* what, const Names& allowed) {
  CLI::Option* option = app_->app.add_option(name, values, what)->delimiter(',');
  if (!allowed.empty()) option->check(CLI::IsMember(allowed));
}
void Options::positive(const char* name, long& value, const char* what, Kind kind) {
  app_->app.add_option(name, value, what)
      ->required(kind == Kind::required)
      ->check(CLI::PositiveNumber);
}
void Options::flag(const char* name, bool& value, const char* what) {
  app_->app.add_flag(name, value, what);
}
void Options::settings(Settings& settings) {
  app_->settings = &settings;
  app_->app.add_option("--seconds", settings.seconds, "time to measure each for");
  text("--clock", app_->clock, "wall, or cpu: processor time, on a machine that is busy",
       Kind::optional, {"wall", "cpu"});
}

int program(int argc, char** argv, Options& options, const std::function<void()>& body) {
  Options::App& app = *options.app_;
  CLI11_PARSE(app.app, argc, argv);
  if (app.settings) app.settings->clock = app.clock == "cpu" ? Clock::cpu : Clock::wall;
  try {
    body();
    return 0;
  } catch (const std::exception& e) {
    std::cerr << argv[0] << ": " << e.what() << "\n";
    return 1;
  }
}

void print_line(const std::vector<Member>& members) {
  nlohmann::ordered_json line;
  for (const auto& [key, member] : members)
    std::visit(
        [&, k = key]<class X>(const X& x) {
          if constexpr (requires { x.has_value(); })
            line[k] = x ? nlohmann::ordered_json(*x) : nlohmann::ordered_json();
          else
            line[k] = x;
        },
        member);
  std::cout << line << std::endl;
}

}  // namespace bench

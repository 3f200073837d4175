#include "command_line.hpp"

#include <iostream>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace bench {

CommandLine::CommandLine(const std::string& about) : app_(std::make_unique<CLI::App>(about)) {}
CommandLine::~CommandLine() = default;

void CommandLine::flag(const char* name, bool& to, const char* help) {
  app_->add_flag(name, to, help);
}

void CommandLine::option(const char* name, std::string& to, const char* help,
                         const Names& allowed) {
  auto* option = app_->add_option(name, to, help);
  if (!allowed.empty()) option->check(CLI::IsMember(allowed));
}

void CommandLine::option(const char* name, Names& to, const char* help, const Names& allowed) {
  auto* option = app_->add_option(name, to, help)->delimiter(',');
  if (!allowed.empty()) option->check(CLI::IsMember(allowed));
}

void CommandLine::option(const char* name, double& to, const char* help) {
  app_->add_option(name, to, help);
}

void CommandLine::option(const char* name, int& to, const char* help) {
  app_->add_option(name, to, help);
}

void CommandLine::positive(const char* name, int& to, const char* help) {
  app_->add_option(name, to, help)->check(CLI::PositiveNumber);
}

void CommandLine::positive(const char* name, std::ptrdiff_t& to, const char* help) {
  app_->add_option(name, to, help)->check(CLI::PositiveNumber);
}

void CommandLine::measuring(Settings& settings) {
  option("--seconds", settings.seconds, "time to measure each for");
  app_->add_option_function<std::string>(
          "--clock",
          [&settings](const std::string& clock) {
            settings.clock = clock == "cpu" ? Clock::cpu : Clock::wall;
          },
          "wall, or cpu: processor time, on a machine that is busy")
      ->check(CLI::IsMember({"wall", "cpu"}));
}

void CommandLine::require(const char* name) { app_->get_option(name)->required(); }

std::optional<int> CommandLine::parse(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app_->exit(error);
  }
  return {};
}

void print_line(std::initializer_list<Member> members) {
  nlohmann::ordered_json line;
  for (const Member& member : members)
    line[member.name] =
        std::visit([](const auto& x) { return nlohmann::ordered_json(x); }, member.value);
  std::cout << line << std::endl;
}

}  // namespace bench

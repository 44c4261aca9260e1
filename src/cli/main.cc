#include <malloc.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/version.h"

namespace tactus::cli {
namespace {

int exit_code(const Error& error) {
  return error.code == ErrorCode::kBroke ? kBroke : kUsageOrInput;
}

/// `tactus trace.json.gz` is `tactus kernels trace.json.gz`. True if the command was left out.
bool name_command(std::vector<std::string>& given,
                  const std::vector<std::unique_ptr<Command>>& commands) {
  const auto word = std::find_if(given.begin(), given.end(), [](const std::string& argument) {
    return argument == "-" || !argument.starts_with('-');
  });
  if (word == given.end()) return false;
  const bool is_command = std::any_of(commands.begin(), commands.end(), [&](const auto& command) {
    return command->name() == *word;
  });
  if (!is_command) given.insert(word, "kernels");
  return !is_command;
}

/// Freed memory is reused before the system is asked for more: commands are short, and fresh pages
/// would take a tenth of their time.
void keep_memory() {
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
  mallopt(M_TOP_PAD, 1 << 20);
}

int run_command(int argc, char** argv) {
  keep_memory();
  std::signal(SIGXFSZ, SIG_IGN);  // a full disk or a file-size limit is an error, not a crash
  CLI::App app{"Tactus tells what each step of an LLM server is made of, and what changed."};
  app.name("tactus");
  app.set_version_flag("--version", kVersionText);
  app.require_subcommand(1);

  CommonOptions common;
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(kernels_command());
  commands.push_back(cycles_command());
  commands.push_back(import_command());
  commands.push_back(info_command());
  commands.push_back(export_command());
  commands.push_back(decode_command());
  commands.push_back(patterns_command());
  commands.push_back(compare_command());
  commands.push_back(operators_command());
  commands.push_back(roofline_command());
  commands.push_back(mine_command());
  commands.push_back(bench_command());
  commands.push_back(check_command());
  for (const auto& command : commands) {
    CLI::App* sub = app.add_subcommand(command->name(), command->description());
    command->add_options(*sub);
    sub->add_flag("-q,--quiet", common.quiet, "no progress and no warnings");
    sub->add_option("--threads", common.threads, "threads to use (default: all cores)")
        ->type_name("N");
    sub->footer("Examples:\n" + command->examples());
  }
  app.footer(
      "tactus FILE is short for tactus kernels FILE.\n"
      "tactus COMMAND --help shows the options of a command, with examples.");

  std::vector<std::string> given(argv + 1, argv + argc);
  const bool left_out = name_command(given, commands);
  if (given.empty()) {
    const Status printed = print(app.help());
    return printed ? kUsageOrInput : kBroke;
  }
  try {
    std::reverse(given.begin(), given.end());  // the parser takes them from the back
    app.parse(given);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // prints the help or the version
    tell(std::string(error.what()) + " (see tactus --help)");
    return kUsageOrInput;
  }
  for (const auto& command : commands) {
    if (!app.got_subcommand(command->name())) continue;
    const Result<int> outcome = command->run(common);
    if (outcome) return *outcome;
    tell(outcome.error().message + (left_out ? " (nor is it a command; see tactus --help)" : ""));
    return exit_code(outcome.error());
  }
  return kUsageOrInput;
}

/// An unexpected exception also gives a message, and no core file.
int main(int argc, char** argv) {
  try {
    return run_command(argc, argv);
  } catch (const std::bad_alloc&) {
    tell("there is not enough memory for that");
  } catch (const std::exception& exception) {
    tell(std::string("this is a bug in tactus, please report it: ") + exception.what());
  }
  return kBroke;
}

}  // namespace
}  // namespace tactus::cli

int main(int argc, char** argv) {
  return tactus::cli::main(argc, argv);
}

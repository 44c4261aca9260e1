#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "base/temporary_path.h"
#include "bench/worker/worker_main.h"
#include "cli/command.h"
#include "cli/command_list.h"
#include "cli/help.h"
#include "cli/interrupt.h"
#include "cli/terminal.h"
#include "cli/version.h"

namespace tactus::cli {
namespace {

int exit_code(const Error& error) {
  return error.code == ErrorCode::kBroke ? kBroke : kUsageOrInput;
}

/// Moves the name of the command to the front, where options stand before it; the name of the
/// default command where a file stands in its place: `tactus trace.json.gz` is `tactus kernels
/// trace.json.gz`. A word that is neither is an error.
Status put_command_first(const std::vector<DeclaredCommand>& commands,
                         std::vector<std::string>& given) {
  const auto word = std::find_if(given.begin(), given.end(), [](const std::string& argument) {
    return argument == "-" || !argument.starts_with('-');
  });
  if (word == given.end()) return usage_error("give a command or a file (see tactus --help)");
  if (find_command(commands, *word) != nullptr) {
    std::rotate(given.begin(), word, word + 1);
    return {};
  }
  std::error_code error;
  if (*word == "-" || std::filesystem::exists(*word, error)) {
    given.insert(given.begin(), "kernels");
    return {};
  }
  if (word->find_first_of("./") != std::string::npos) {
    return usage_error(*word + ": there is no such file, nor a command of that name");
  }
  return usage_error(*word + ": is neither a command nor a file" + did_you_mean(commands, *word) +
                     " (see tactus --help)");
}

/// Freed memory is reused before the system is asked for more: commands are short, and fresh pages
/// would take a tenth of their time.
void keep_memory() {
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
  mallopt(M_TOP_PAD, 1 << 20);
}

/// Says what the exception that is being handled means.
void print_exception() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    print_error("there is not enough memory for that");
  } catch (const std::system_error& error) {
    print_error(std::string("the system refused it: ") + error.what());
  } catch (const std::exception& exception) {
    print_error(std::string("this is a bug in tactus, please report it: ") + exception.what());
  } catch (...) {
    print_error("this is a bug in tactus, please report it");
  }
}

/// An exception that leaves a thread ends the process like one that leaves `main`. A worker that
/// runs somebody else's code may abort.
void end_well_on_terminate() {
  static const pid_t kOwn = ::getpid();
  std::set_terminate([] {
    if (::getpid() != kOwn || !std::current_exception()) std::abort();
    print_exception();
    remove_temporary_paths();
    ::_exit(kBroke);
  });
}

int print_and_end(const std::string& text) {
  const Status printed = print(text);
  if (!printed) print_error(printed.error().message);
  return printed ? kDone : kBroke;
}

int run_command(std::vector<std::string> given) {
  CommonOptions common;
  std::vector<DeclaredCommand> commands = declare_commands(common);
  if (given.empty() || given[0] == "-h" || given[0] == "--help") {
    return print_and_end(overview_help(commands, text_columns()));
  }
  if (given[0] == "--version") return print_and_end(std::string(kVersionText) + "\n");
  if (const Status found = put_command_first(commands, given); !found) {
    print_error(found.error().message);
    return exit_code(found.error());
  }
  const DeclaredCommand& asked = *find_command(commands, given[0]);
  given.erase(given.begin());
  const Result<ParseOutcome> parsed =
      parse_options(asked.command->name(), asked.options, std::move(given));
  if (!parsed) {
    print_error(parsed.error().message);
    return exit_code(parsed.error());
  }
  if (*parsed == ParseOutcome::kShowHelp) {
    return print_and_end(command_help(asked, text_columns()));
  }
  const Result<int> outcome = asked.command->run(common);
  if (outcome) return *outcome;
  print_error(outcome.error().message);
  return exit_code(outcome.error());
}

/// An unexpected exception also gives a message, and no core file.
int main(int argc, char** argv) {
  keep_memory();
  reserve_standard_streams();
  remove_temporary_files_on_signals();
  end_well_on_terminate();
  std::signal(SIGXFSZ, SIG_IGN);  // a full disk or a file-size limit is an error, not a death
  try {
    return run_command({argv + 1, argv + argc});
  } catch (...) {
    print_exception();
  }
  return kBroke;
}

}  // namespace
}  // namespace tactus::cli

int main(int argc, char** argv) {
  tactus::serve_if_worker(argc, argv);
  return tactus::cli::main(argc, argv);
}

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "cli/exit_codes.h"
#include "cli/options.h"
#include "run/run.h"

namespace tactus::cli {

/// Options of every command.
struct CommonOptions {
  bool quiet = false;
  unsigned threads = 0;  ///< 0: as many as the machine has
};

/// One subcommand: its flags, its help with examples, and its action.
class Command {
 public:
  virtual ~Command() = default;

  virtual std::string name() const = 0;
  /// What it does, in one line.
  virtual std::string description() const = 0;
  /// A few sentences more, for the man page.
  virtual std::string details() const = 0;
  /// Lines of commands to paste, each indented by two spaces, some with a remark behind "# ".
  virtual std::string examples() const = 0;
  virtual void add_options(Options& options) = 0;
  /// Prints the result; the value is the exit code.
  virtual Result<int> run(const CommonOptions& common) = 0;
};

std::unique_ptr<Command> import_command();
std::unique_ptr<Command> info_command();
std::unique_ptr<Command> kernels_command();
std::unique_ptr<Command> cycles_command();
std::unique_ptr<Command> ranks_command();
std::unique_ptr<Command> export_command();
std::unique_ptr<Command> sql_command();
std::unique_ptr<Command> decode_command();
std::unique_ptr<Command> patterns_command();
std::unique_ptr<Command> compare_command();
std::unique_ptr<Command> operators_command();
std::unique_ptr<Command> roofline_command();
std::unique_ptr<Command> mine_command();
std::unique_ptr<Command> bench_command();
std::unique_ptr<Command> record_command();
std::unique_ptr<Command> gate_command();
std::unique_ptr<Command> top_command();
std::unique_ptr<Command> watch_command();
std::unique_ptr<Command> report_command();
std::unique_ptr<Command> serve_command();
std::unique_ptr<Command> inject_command();
std::unique_ptr<Command> drill_command();
std::unique_ptr<Command> check_command();
std::unique_ptr<Command> schema_command();
std::unique_ptr<Command> completion_command();
std::unique_ptr<Command> man_command();

unsigned thread_count(const CommonOptions& common);

/// Prints to standard output; false if that failed.
Status print(const std::string& text);

/// Prints what went wrong, or should be known, on standard error. Further lines of a message are
/// indented.
void print_error(const std::string& message);
/// The same of something that should be known, in lines that fit the terminal.
void print_warning(const std::string& warning);
void print_warnings(const Run& run, const CommonOptions& common);

}  // namespace tactus::cli

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "cli/options.h"
#include "run/filter.h"
#include "sources/sources.h"

namespace tactus::cli {

// Exit codes.
inline constexpr int kDone = 0;
inline constexpr int kGateFailed = 1;    ///< answered, and a gate that was asked for failed
inline constexpr int kUsageOrInput = 2;  ///< a mistake on the command line, or in the input
inline constexpr int kBroke = 3;         ///< disk full, device lost
inline constexpr int kNotJudged = 4;     ///< a gate was asked for, and could not be judged

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
  /// Lines of commands, each indented by two spaces, some with a remark behind.
  virtual std::string examples() const = 0;
  virtual void add_options(Options& options) = 0;
  /// Prints the result; the value is the exit code.
  virtual Result<int> run(const CommonOptions& common) = 0;
};

std::unique_ptr<Command> import_command();
std::unique_ptr<Command> info_command();
std::unique_ptr<Command> kernels_command();
std::unique_ptr<Command> cycles_command();
std::unique_ptr<Command> export_command();
std::unique_ptr<Command> decode_command();
std::unique_ptr<Command> patterns_command();
std::unique_ptr<Command> compare_command();
std::unique_ptr<Command> operators_command();
std::unique_ptr<Command> roofline_command();
std::unique_ptr<Command> mine_command();
std::unique_ptr<Command> bench_command();
std::unique_ptr<Command> check_command();
std::unique_ptr<Command> completion_command();
std::unique_ptr<Command> man_command();

inline constexpr const char* kCaptureHelp =
    "a trace of the capture of the CUDA graphs that are replayed; may be repeated";

/// The filters of a command that looks at slices, as typed.
struct FilterOptions {
  SliceFilter filter;
  std::string from;
  std::string to;

  void add_to(Options& options);
  /// The filter with its times read; a wrong time is a usage error.
  Result<SliceFilter> resolve() const;
};

/// Opens a run for a command that only looks at it; prints its warnings.
Result<Run> open_for_reading(const std::string& input, const CommonOptions& common,
                             const std::vector<std::string>& captures = {});

/// The same for a command that needs times of events, which summaries do not have.
Result<Run> open_trace(const std::string& input, const CommonOptions& common);

unsigned thread_count(const CommonOptions& common);

/// Prints to standard output; false if that failed.
Status print(const std::string& text);

/// Prints what went wrong, or should be known, on standard error.
void print_error(const std::string& message);
void print_warnings(const Run& run, const CommonOptions& common);

}  // namespace tactus::cli

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <iostream>

#include "base/temporary_path.h"
#include "cli/command.h"
#include "cli/inputs/cycle_options.h"
#include "cli/inputs/filter_options.h"
#include "cli/inputs/open_run.h"
#include "cli/report_files.h"
#include "cli/shell_word.h"
#include "cli/terminal.h"
#include "sql/session.h"
#include "views/sql/sql_view.h"

namespace tactus::cli {
namespace {

constexpr double kLongestTimeout = 1e6;  // [s]

extern "C" void on_late_query(int) {
  constexpr std::string_view kText =
      "tactus: the query did not stop at its time limit; give --timeout SECONDS for more time\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kText.data(), kText.size());
  remove_temporary_paths();
  ::_exit(kBroke);
}

/// SQLite looks at the clock between steps; one step can take very long (instr() of two
/// long texts). Then the process ends.
class LastResort {
 public:
  explicit LastResort(double timeout_s) {
    constexpr double kGrace = 10;  // [s]
    ::signal(SIGALRM, on_late_query);
    ::alarm(static_cast<unsigned>(std::ceil(timeout_s + kGrace)));
  }
  ~LastResort() { ::alarm(0); }
  LastResort(const LastResort&) = delete;
  LastResort& operator=(const LastResort&) = delete;
};

/// The session whose prompt Ctrl-C is for, and whether it came.
std::atomic<sql::Session*> prompt_session = nullptr;
std::atomic<bool> is_interrupted = false;

extern "C" void on_prompt_interrupt(int) {
  // Twice: the query does not stop by itself.
  if (is_interrupted.exchange(true)) {
    remove_temporary_paths();
    ::_exit(128 + SIGINT);
  }
  if (sql::Session* session = prompt_session.load()) session->stop();
}

/// At a prompt, Ctrl-C ends the query or drops the line, not the program.
class PromptInterrupts {
 public:
  explicit PromptInterrupts(sql::Session& session) {
    prompt_session = &session;
    is_interrupted = false;
    struct sigaction action {};
    action.sa_handler = on_prompt_interrupt;  // no SA_RESTART: waiting for a line ends, too
    ::sigaction(SIGINT, &action, &before_);
  }
  ~PromptInterrupts() {
    ::sigaction(SIGINT, &before_, nullptr);
    prompt_session = nullptr;
  }
  PromptInterrupts(const PromptInterrupts&) = delete;
  PromptInterrupts& operator=(const PromptInterrupts&) = delete;

  /// Waits until standard input has a line, or its end; false if Ctrl-C came.
  static bool wait_for_line() {
    // Ctrl-C just before the wait must end it, too: it is let through only by the wait itself.
    sigset_t interrupt, before;
    ::sigemptyset(&interrupt);
    ::sigaddset(&interrupt, SIGINT);
    ::sigprocmask(SIG_BLOCK, &interrupt, &before);
    struct pollfd input {
      .fd = STDIN_FILENO, .events = POLLIN, .revents = 0
    };
    while (!is_interrupted && ::ppoll(&input, 1, nullptr, &before) < 0 && errno == EINTR) {
    }
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    return !is_interrupted;
  }

  /// Whether Ctrl-C came since the last call.
  static bool take() { return is_interrupted.exchange(false); }

 private:
  struct sigaction before_ {};
};

constexpr const char* kPromptHelp =
    "A query ends with ; and may have several lines.\n"
    ".tables    the tables\n"
    ".schema    the columns of all tables; .schema kernels those of one\n"
    ".quit      leave\n"
    "Ctrl-C     end the query, or forget the lines of one that is not complete\n";

class SqlCommand final : public Command {
 public:
  std::string name() const override { return "sql"; }
  std::string description() const override { return "Ask a recording anything, in SQL"; }
  std::string details() const override {
    return "The tables are slices, kernels, ops, launches, copies, counters, steps, stacks and "
           "ranks; .schema shows their columns, docs/sql.md explains them. Times are columns in ns "
           "since the start of the run (ts_ns, dur_ns). Without a query, it reads queries from "
           "standard input, with a prompt on a terminal. The recording cannot be changed.";
  }
  std::string examples() const override {
    return "  tactus sql run.tact \"select short_name, sum(dur_ns) from kernels group by 1 order "
           "by 2 desc\"\n"
           "  tactus sql run.tact \"select * from steps order by dur_ns desc limit 5\" --json\n"
           "  tactus sql run.tact \".schema kernels\"\n"
           "  tactus sql run.tact < queries.sql\n"
           "  tactus sql run.tact  # a prompt\n";
  }

  void add_options(Options& options) override {
    options.add("RUN", input_, "a .tact file, or any input that import reads")
        .required()
        .file("RUN");
    options.add("QUERY", query_, "a SELECT (default: read from standard input)");
    options.add("--format", format_, "how to print:")
        .type_name("FORMAT")
        .choices({"table", "csv", "json"});
    options.add("--json", json_, "the same as --format json");
    options.add("--timeout", timeout_s_, "seconds that a query may take (default: 60)")
        .type_name("SECONDS")
        .between(0.001, kLongestTimeout);
    steps_.add_to(options);
    filter_.add_to(options);
  }

  Result<int> run(const CommonOptions& common) override {
    if (json_) format_ = "json";
    const Result<SliceFilter> filter = filter_.resolve();
    if (!filter) return filter.error();
    std::error_code error;
    if (!std::filesystem::exists(input_, error) && std::filesystem::exists(query_, error)) {
      return usage_error("the recording comes before the query: tactus sql " + shell_word(query_) +
                         " " + shell_word(input_));
    }
    Result<Run> run = open_trace(input_, common);
    if (!run) return run.error();
    note_times(*filter, input_, common, *run);
    std::optional<Cycles> steps;
    if (steps_.any()) {
      Result<Cycles> found = steps_.find(*run, *filter, input_);
      if (!found) return found.error();
      steps = std::move(*found);
    }
    Result<std::unique_ptr<sql::Session>> session =
        sql::Session::open(*run, {.filter = *filter,
                                  .steps = steps ? &*steps : nullptr,
                                  .timeout_s = timeout_s_,
                                  .threads = thread_count(common)});
    if (!session) return session.error();
    const Status status = query_.empty() ? read_queries(**session, *run, common)
                                         : answer(query_, **session, *run, common);
    if (!status) return status.error();
    return kDone;
  }

 private:
  /// One query, or one of the words with a dot.
  Status answer(const std::string& text, sql::Session& session, const Run& run,
                const CommonOptions& common) {
    if (text.starts_with('.')) return answer_word(text, session);
    Result<OutputFile> out = OutputFile::standard_output();
    if (!out) return out.error();
    const std::unique_ptr<SqlView> view =
        format_ == "json"  ? sql_json_view(*out, run)
        : format_ == "csv" ? sql_csv_view(*out)
                           : sql_table_view(*out, prints_to_terminal() ? text_columns() : 0);
    const LastResort last_resort(timeout_s_);
    if (Status status = session.run(text, *view); !status) return status;
    for (; shown_warnings_ < session.warnings().size(); ++shown_warnings_) {
      if (!common.quiet) print_warning(session.warnings()[shown_warnings_]);
    }
    return view->finish(session.warnings());
  }

  static Status answer_word(const std::string& text, const sql::Session& session) {
    const std::string word = text.substr(0, text.find_first_of(" \t;"));
    const std::size_t rest = text.find_first_not_of(" \t;", word.size());
    const std::string argument =
        rest == std::string::npos ? ""
                                  : text.substr(rest, text.find_last_not_of(" \t;\n") + 1 - rest);
    if (word == ".help") return print(kPromptHelp);
    std::string lines;
    if (word == ".tables") {
      for (const std::string& table : session.tables()) lines += table + "\n";
      return print(lines);
    }
    if (word != ".schema") return usage_error(word + ": is not known; .help lists what is");
    for (const std::string& table : session.schema()) {
      if (argument.empty() || table.starts_with(argument + " ")) lines += table;
    }
    if (lines.empty())
      return usage_error(argument + ": there is no such table; .tables lists them");
    return print(lines);
  }

  /// Cuts the first whole query off; empty if there is none yet.
  static std::string take_query(std::string& text) {
    for (std::size_t at = text.find(';'); at != std::string::npos; at = text.find(';', at + 1)) {
      const std::string first = text.substr(0, at + 1);
      if (!sql::Session::is_complete(first)) continue;
      text.erase(0, at + 1);
      if (text.find_first_not_of(" \t\r\n") == std::string::npos) text.clear();
      return first;
    }
    return {};
  }

  /// From a terminal, a wrong query is shown and the next one is read; from a file, it ends all.
  Status read_queries(sql::Session& session, const Run& run, const CommonOptions& common) {
    const bool is_terminal = ::isatty(STDIN_FILENO) != 0;
    std::optional<PromptInterrupts> interrupts;
    if (is_terminal) interrupts.emplace(session);
    std::string query, line;
    const auto ask = [&] {
      if (!is_terminal) return;
      std::fputs(query.empty() ? "tactus> " : "   ...> ", stderr);
    };
    const auto run_query = [&]() -> Status {
      const std::string text = std::exchange(query, {});
      if (text.find_first_not_of(" \t\r\n;") == std::string::npos) return {};
      Status status = answer(text, session, run, common);
      PromptInterrupts::take();
      if (status || !is_terminal) return status;
      print_error(status.error().message);
      return {};
    };
    if (is_terminal) std::fputs(".help for help, .quit to leave\n", stderr);
    for (ask(); (interrupts && !PromptInterrupts::wait_for_line()) || std::getline(std::cin, line);
         ask()) {
      if (interrupts && PromptInterrupts::take()) {
        std::fputs("\n", stderr);
        query.clear();
        continue;
      }
      if (query.empty() && (line == ".quit" || line == ".exit")) return {};
      const bool is_word = query.empty() && line.starts_with('.');
      query += line + "\n";
      if (is_word) query.pop_back();
      if (is_word) {
        if (Status status = run_query(); !status) return status;
      }
      for (std::string first = take_query(query); !first.empty(); first = take_query(query)) {
        std::swap(first, query);  // what is behind it waits
        Status status = run_query();
        query = first;
        if (!status) return status;
      }
    }
    if (is_terminal) std::fputs("\n", stderr);
    return run_query();
  }

  std::string input_;
  std::string query_;
  std::string format_ = "table";
  StepOptions steps_;
  FilterOptions filter_;
  double timeout_s_ = 60;
  bool json_ = false;
  std::size_t shown_warnings_ = 0;
};

}  // namespace

std::unique_ptr<Command> sql_command() {
  return std::make_unique<SqlCommand>();
}

}  // namespace tactus::cli

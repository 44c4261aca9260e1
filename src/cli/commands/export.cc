#include <filesystem>

#include "cli/command.h"
#include "cli/inputs/cycle_options.h"
#include "cli/inputs/filter_options.h"
#include "cli/inputs/input_guard.h"
#include "cli/inputs/open_run.h"
#include "cli/report_files.h"
#include "cli/terminal.h"
#include "sql/sqlite_file.h"
#include "views/export/exports.h"

namespace tactus::cli {
namespace {

class ExportCommand final : public Command {
 public:
  std::string name() const override { return "export"; }
  std::string description() const override {
    return "Write a recording in a format that other tools read";
  }
  std::string details() const override {
    return "Perfetto's format keeps kernels that overlap; ui.perfetto.dev reads it. The Chrome "
           "format is read by ui.perfetto.dev and chrome://tracing, too; CSV has one row per "
           "slice. A SQLite file has the tables of tactus sql.";
  }
  std::string examples() const override {
    return "  tactus export run.tact --format perfetto -o run.pftrace  # for ui.perfetto.dev\n"
           "  tactus export run.tact --format chrome -o trace.json     # also for "
           "chrome://tracing\n"
           "  tactus export run.tact --format csv -o slices.csv\n"
           "  tactus export run.tact --format chrome --from 12s --to 13s -o second.json\n"
           "  tactus export run.tact --format csv --phase decode --skip-warmup 3 | head\n"
           "  tactus export run.tact --format sqlite -o run.sqlite  # the tables of tactus sql\n";
  }

  void add_options(Options& options) override {
    options.add("RUN", input_, "a .tact file, or any input that import reads")
        .required()
        .file("RUN");
    options.add("--format", format_, "the format to write:")
        .required()
        .choices({"chrome", "perfetto", "csv", "sqlite"})
        .type_name("FORMAT");
    options.add("-o,--output", output_, "the file to write (default: standard output)").file();
    steps_.add_to(options);
    filter_.add_to(options);
    options.add("--force", force_, "overwrite the output file");
  }

  Result<int> run(const CommonOptions& common) override {
    const Result<SliceFilter> filter = filter_.resolve();
    if (!filter) return filter.error();
    const bool is_binary = format_ == "perfetto" || format_ == "sqlite";
    if (is_binary && output_ == kStandardOutput && prints_to_terminal()) {
      return usage_error("--format " + format_ +
                         " is binary, and standard output is a terminal; give a file: -o run." +
                         (format_ == "sqlite" ? "sqlite" : "pftrace"));
    }
    if (Status safe = guard_inputs({output_}, {input_}); !safe) return safe.error();
    Result<OutputFile> file = create_output(output_, force_);
    if (!file) return file.error();
    if (format_ == "sqlite") return run_sqlite(*filter, *file, common);
    // Steps are those of the whole run.
    const auto window = steps_.any() ? std::nullopt : filter->window();
    Result<Run> run = open_for_reading(input_, common, {}, window);
    if (!run) return run.error();
    if (format_ != "csv") {  // a summary has a CSV of its own
      if (Status is_trace = guard_summary(*run, input_); !is_trace) return is_trace.error();
    }
    note_times(*filter, input_, common, *run);
    std::optional<Cycles> steps;
    const Result<WantedSlices> wanted = select(*run, *filter, steps);
    if (!wanted) return wanted.error();
    // A bar between the lines of the output would make both unreadable.
    const bool bar = output_ != kStandardOutput || !prints_to_terminal();
    const std::unique_ptr<Progress> progress = make_progress(common.quiet || !bar);
    const auto write = format_ == "chrome"     ? write_chrome
                       : format_ == "perfetto" ? write_perfetto
                                               : write_csv;
    const Status written = write(*run, *wanted, *file, *progress);
    if (!written) return written.error();
    if (const Status status = run->status(); !status) return status.error();
    if (const Status status = file->commit(); !status) return status.error();
    const std::string_view next = format_ == "chrome"
                                      ? "open it in https://ui.perfetto.dev or chrome://tracing"
                                  : format_ == "perfetto" ? "open it in https://ui.perfetto.dev"
                                                          : "it has one row per slice";
    say_written(output_, file->written(), next, common.quiet);
    return kDone;
  }

 private:
  /// `steps` holds the wanted steps, if not all are.
  Result<WantedSlices> select(const Run& run, const SliceFilter& filter,
                              std::optional<Cycles>& steps) const {
    if (!steps_.any()) return WantedSlices{.filter = filter};
    Result<Cycles> found = steps_.find(run, filter, input_);
    if (!found) return found.error();
    steps = std::move(*found);
    return WantedSlices{.filter = filter, .steps = &*steps};
  }

  Result<int> run_sqlite(const SliceFilter& filter, OutputFile& file, const CommonOptions& common) {
    Result<Run> run = open_trace(input_, common);
    if (!run) return run.error();
    note_times(filter, input_, common, *run);
    std::optional<Cycles> steps;
    const Result<WantedSlices> wanted = select(*run, filter, steps);
    if (!wanted) return wanted.error();
    if (Status written = write_sqlite(*run, *wanted, file, common); !written) {
      return written.error();
    }
    if (const Status status = run->status(); !status) return status.error();
    if (const Status status = file.commit(); !status) return status.error();
    std::error_code error;
    say_written(output_, std::filesystem::file_size(output_, error),
                "sqlite3 opens it; it has the tables of tactus sql", common.quiet);
    return kDone;
  }

  /// SQLite writes here and there in a file. What goes to a pipe is made in a temporary one first.
  Status write_sqlite(const Run& run, const WantedSlices& wanted, OutputFile& file,
                      const CommonOptions& common) const {
    const std::unique_ptr<Progress> progress = make_progress(common.quiet);
    const auto write = [&](const std::string& path, const std::string& name) -> Status {
      const Status written = sql::write_sqlite(run, wanted, path, thread_count(common), *progress);
      if (written) return {};
      return Error{written.error().code, name + ": " + written.error().message};
    };
    if (!file.temporary_path().empty()) return write(file.temporary_path(), output_);
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
    if (error) return broke_error("no folder for temporary files (TMPDIR): " + error.message());
    Result<OutputFile> whole = OutputFile::create((folder / "tactus-export").string(), true);
    if (!whole) return whole.error();
    const std::string& path = whole->temporary_path();
    if (Status written = write(path, path); !written) return written;
    const Result<File> made = File::open_for_reading(path);
    return made ? copy(*made, path, file) : made.error();
  }

  static Status copy(const File& from, const std::string& name, OutputFile& to) {
    std::string piece(1 << 20, '\0');
    for (;;) {
      const Result<std::size_t> got = from.read(piece.data(), piece.size(), name);
      if (!got) return got.error();
      if (*got == 0) return {};
      const Status put = to.write(std::string_view(piece).substr(0, *got));
      if (!put) return put;
    }
  }

  std::string input_;
  std::string format_;
  std::string output_ = kStandardOutput;
  StepOptions steps_;
  FilterOptions filter_;
  bool force_ = false;
};

}  // namespace

std::unique_ptr<Command> export_command() {
  return std::make_unique<ExportCommand>();
}

}  // namespace tactus::cli

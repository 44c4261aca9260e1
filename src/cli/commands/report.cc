#include "cli/command.h"
#include "cli/inputs/input_guard.h"
#include "cli/inputs/page_parts.h"
#include "cli/page_file.h"
#include "cli/report_files.h"
#include "cli/terminal.h"
#include "cli/version.h"
#include "serve/documents/page_content.h"

namespace tactus::cli {
namespace {

class ReportCommand final : public Command {
 public:
  std::string name() const override { return "report"; }
  std::string description() const override {
    return "Write one page that shows everything about a run, or compares two";
  }
  std::string details() const override {
    return "The page is one file without anything outside it: mail it, or open it from disk. It "
           "has the overview, steps, timeline, kernels, flame graph and ranks of a run; of two "
           "runs also what changed. A kernel summary, a classic report, results of tactus bench "
           "and a catalogue of operators give a page, too. Paths of this machine are cut to their "
           "last parts.";
  }
  std::string examples() const override {
    return "  tactus report run.tact -o report.html\n"
           "  tactus report good.tact bad.tact -o report.html  # what changed, and both runs\n"
           "  tactus report trace.json.gz -o report.html --open timeline\n"
           "  tactus report table.txt -o report.html           # a kernel summary\n"
           "  tactus report h200.json -o report.html           # results of tactus bench\n";
  }

  void add_options(Options& options) override {
    options
        .add("RUN", inputs_,
             "a .tact file, or any input that import reads; two to compare them; a classic report, "
             "results or a catalogue")
        .required()
        .file("RUN");
    options.add("-o,--output", output_, "the page to write").required().file();
    options.add("--open", open_, "the part to show first:").choices(kPageParts).type_name("PART");
    options.add("--with-paths", with_paths_, "keep whole paths of files");
    options.add("--force", force_, "overwrite the page");
  }

  Result<int> run(const CommonOptions& common) override {
    if (inputs_.size() > 2) {
      return usage_error(
          "report: give one run, or two to compare; tactus import makes one run of the ranks of a "
          "job, tactus serve shows several");
    }
    if (Status safe = guard_inputs({output_}, inputs_); !safe) return safe.error();
    Result<OutputFile> file = create_output(output_, force_);
    if (!file) return file.error();
    std::unique_ptr<Progress> progress = make_progress(common.quiet);
    serve::PageContent content({.threads = thread_count(common)}, *progress);
    for (const std::string& input : inputs_) {
      Result<serve::PageInput> opened =
          serve::open_page_input(input, thread_count(common), *progress);
      if (!opened) return opened.error();
      if (const auto* run = std::get_if<std::unique_ptr<Run>>(&opened->content)) {
        print_warnings(**run, common);
      }
      content.add(std::move(*opened));
    }
    PageRequest page{.open = open_.empty() ? content.first_part() : open_,
                     .title = content.title(),
                     .version = kVersion};
    Result<std::vector<PageDocument>> documents = content.all(page.warnings);
    if (!documents) return documents.error();
    page.documents = std::move(*documents);
    if (!with_paths_) hide_paths(page);
    const std::string text = show_page(page);
    progress.reset();  // wipes the bar
    if (Status status = file->write(text); !status) return status.error();
    if (Status status = file->commit(); !status) return status.error();
    if (!common.quiet) {
      for (const std::string& warning : page.warnings) print_warning(warning);
    }
    say_written(output_, file->written(), "open it in a browser", common.quiet);
    return kDone;
  }

 private:
  std::vector<std::string> inputs_;
  std::string output_;
  std::string open_;
  bool with_paths_ = false;
  bool force_ = false;
};

}  // namespace

std::unique_ptr<Command> report_command() {
  return std::make_unique<ReportCommand>();
}

}  // namespace tactus::cli

#include <filesystem>

#include "base/file.h"
#include "check/build_check.h"
#include "check/file_check.h"
#include "cli/command.h"
#include "cli/inputs/open_run.h"
#include "cli/terminal.h"
#include "record/ready/record_check.h"
#include "views/check/check_view.h"

namespace tactus::cli {
namespace {

class CheckCommand final : public Command {
 public:
  std::string name() const override { return "check"; }
  std::string description() const override {
    return "Show what can be built, run and recorded here, and how to fix the rest";
  }
  std::string details() const override {
    return "Looks at compilers, drivers, GPUs, permissions and Python. With --build it compares "
           "the GPU code inside a file with the GPUs of this machine.";
  }
  std::string examples() const override {
    return "  tactus check\n"
           "  tactus check --build libmine.so  # which GPUs its code is for, against those here\n"
           "  tactus check --build mine.cu     # compile it, and show what nvcc says\n";
  }

  void add_options(Options& options) override {
    options
        .add("--build", file_,
             "check a library (.so) or source (.cu, .hip, .cpp); without FILE: the machine")
        .file()
        .values(0, 1);
    options.add("--json", json_, "print JSON");
  }

  Result<int> run(const CommonOptions&) override {
    // A file that cannot be read is reported before a second is spent on compilers.
    if (const Status readable = look_at_file(); !readable) return readable.error();
    const MachineFacts facts = read_machine();
    std::vector<FileCheck> files;
    std::vector<CheckItem> items;
    if (file_.empty()) {
      items = check_machine(facts);
      record::check_ready_to_record(items);
    } else {
      Result<std::vector<FileCheck>> checked =
          is_source() ? check_source(file_, facts) : check_library(file_, facts.driver);
      if (!checked) return checked.error();
      files = std::move(*checked);
      check_compilers(facts, items);
      check_driver(facts, items);
    }
    const Status printed =
        print(json_ ? check_json(files, items) : check_text(files, items, text_columns()));
    if (!printed) return printed.error();
    return kDone;
  }

 private:
  bool is_source() const {
    const std::string extension = std::filesystem::path(file_).extension().string();
    return extension == ".cu" || extension == ".hip" || extension == ".cpp" || extension == ".cc";
  }

  Status look_at_file() const {
    if (file_.empty()) return {};
    std::error_code error;
    if (std::filesystem::is_directory(file_, error)) {
      return usage_error(file_ + ": is a folder; give a library (.so) or a source (.cu)");
    }
    if (is_source()) {
      const Result<File> file = File::open_for_reading(file_);
      return file ? Status() : Status(file.error());
    }
    const Result<Fatbin> fatbin = read_fatbin_file(file_);
    return fatbin ? Status() : Status(fatbin.error());
  }

  std::string file_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> check_command() {
  return std::make_unique<CheckCommand>();
}

}  // namespace tactus::cli

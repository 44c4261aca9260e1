#include "cli/command.h"
#include "cli/man_page.h"
#include "cli/report_files.h"

namespace tactus::cli {
namespace {

class ManCommand final : public Command {
 public:
  std::string name() const override { return "man"; }
  std::string description() const override {
    return "Print the manual page of tactus or of one command";
  }
  std::string details() const override {
    return "The page is in roff, the language of man pages, and made from the same declarations as "
           "the help. An installed tactus brings the pages along: man tactus, man tactus-kernels.";
  }
  std::string examples() const override {
    return "  tactus man kernels | man -l -\n"
           "  tactus man bench > tactus-bench.1\n"
           "  tactus man --write share/man/man1\n";
  }

  void add_options(Options& options) override {
    options.add("COMMAND", command_, "the command (default: tactus itself)").command_name();
    options.add("--write", folder_, "write the pages of tactus and all commands to this folder")
        .folder();
  }

  Result<int> run(const CommonOptions&) override {
    CommonOptions common;
    const std::vector<DeclaredCommand> commands = declare_commands(common);
    if (!folder_.empty()) {
      if (const Status written = write_pages(commands); !written) return written.error();
      return kDone;
    }
    const DeclaredCommand* const found = find_command(commands, command_);
    if (found == nullptr && !command_.empty()) {
      return usage_error(command_ + ": is not a command" + did_you_mean(commands, command_));
    }
    const Status printed =
        print(found == nullptr ? overview_man_page(commands) : command_man_page(*found));
    if (!printed) return printed.error();
    return kDone;
  }

 private:
  Status write_pages(const std::vector<DeclaredCommand>& commands) const {
    if (Status made = make_folder(folder_); !made) return made;
    Status written = write_report(folder_ + "/tactus.1", overview_man_page(commands), true);
    for (const DeclaredCommand& command : commands) {
      if (!written) return written;
      written = write_report(folder_ + "/tactus-" + command.command->name() + ".1",
                             command_man_page(command), true);
    }
    return written;
  }

  std::string command_;
  std::string folder_;
};

}  // namespace

std::unique_ptr<Command> man_command() {
  return std::make_unique<ManCommand>();
}

}  // namespace tactus::cli

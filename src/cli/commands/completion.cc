#include "cli/completion/completion.h"

#include "cli/command.h"

namespace tactus::cli {
namespace {

class CompletionCommand final : public Command {
 public:
  std::string name() const override { return "completion"; }
  std::string description() const override {
    return "Print a completion script for bash, zsh or fish";
  }
  std::string details() const override {
    return "The script completes commands, options, the values of options and the names of files. "
           "An installed tactus brings the scripts along.";
  }
  std::string examples() const override {
    return "  source <(tactus completion bash)        # in ~/.bashrc\n"
           "  source <(tactus completion zsh)         # in ~/.zshrc, after compinit\n"
           "  tactus completion fish | source         # in ~/.config/fish/config.fish\n";
  }

  void add_options(Options& options) override {
    options.add("SHELL", shell_, "the shell:").choices({"bash", "zsh", "fish"}).required();
  }

  Result<int> run(const CommonOptions&) override {
    CommonOptions common;
    const std::vector<DeclaredCommand> commands = declare_commands(common);
    const Status printed = print(shell_ == "bash"  ? bash_completion(commands)
                                 : shell_ == "zsh" ? zsh_completion(commands)
                                                   : fish_completion(commands));
    if (!printed) return printed.error();
    return kDone;
  }

 private:
  std::string shell_;
};

}  // namespace

std::unique_ptr<Command> completion_command() {
  return std::make_unique<CompletionCommand>();
}

}  // namespace tactus::cli

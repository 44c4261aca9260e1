#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/options.h"

namespace tactus::cli {

/// A command with its options, and those that every command has.
struct DeclaredCommand {
  std::unique_ptr<Command> command;
  Options options;
};

/// All commands, in the order of the help. Values that are parsed go into them and into `common`.
std::vector<DeclaredCommand> declare_commands(CommonOptions& common);

std::vector<std::string> command_names(const std::vector<DeclaredCommand>& commands);

/// "; did you mean kernels?" for the end of a message; empty if no command is near.
std::string did_you_mean(const std::vector<DeclaredCommand>& commands, std::string_view typed);

/// Null if there is no command of that name.
const DeclaredCommand* find_command(const std::vector<DeclaredCommand>& commands,
                                    std::string_view name);

}  // namespace tactus::cli

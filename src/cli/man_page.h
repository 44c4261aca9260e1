#pragma once

#include <string>
#include <vector>

#include "cli/command_list.h"

namespace tactus::cli {

/// tactus-COMMAND(1), in roff with the man macros.
std::string command_man_page(const DeclaredCommand& command);

/// tactus(1): what the commands are, what they read, and the exit codes.
std::string overview_man_page(const std::vector<DeclaredCommand>& commands);

}  // namespace tactus::cli

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/command_list.h"

namespace tactus::cli {

/// "tactus export [OPTIONS] RUN --format FORMAT"
std::string usage_line(const DeclaredCommand& command);

/// "-o, --output FILE" or, for a positional argument, "RUN...".
std::string option_heading(const Option& option);

/// What it is for, with its choices if it has some.
std::string option_help(const Option& option);

/// What `tactus COMMAND --help` prints, in lines of at most `width` characters.
std::string command_help(const DeclaredCommand& command, std::size_t width);

/// What `tactus --help` prints.
std::string overview_help(const std::vector<DeclaredCommand>& commands, std::size_t width);

/// What Tactus is, in a sentence.
inline constexpr const char* kTagline =
    "Tactus shows what each step of an LLM server is made of, and what changed.";

}  // namespace tactus::cli

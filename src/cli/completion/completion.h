#pragma once

#include <string>
#include <vector>

#include "cli/command_list.h"

namespace tactus::cli {

// Scripts that teach a shell the commands, their options and the values of these.
std::string bash_completion(const std::vector<DeclaredCommand>& commands);
std::string zsh_completion(const std::vector<DeclaredCommand>& commands);
std::string fish_completion(const std::vector<DeclaredCommand>& commands);

/// The words that can stand for the value of an option.
std::vector<std::string> offered_words(const Option& option);

/// True if the name of a file can stand there.
bool offers_files(const Option& option);

/// What the words after a command's name are; null if there are none but options.
const Option* positional_of(const DeclaredCommand& command);

std::string joined(const std::vector<std::string>& words, const char* between = " ");

}  // namespace tactus::cli

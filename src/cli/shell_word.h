#pragma once

#include <string>

namespace tactus::cli {

/// A path as one word of a command that can be pasted into a shell: in quotes where it needs them.
std::string shell_word(const std::string& path);

}  // namespace tactus::cli

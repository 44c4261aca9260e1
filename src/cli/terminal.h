#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/progress.h"

namespace tactus::cli {

/// A progress bar on standard error if that is a terminal, nothing otherwise. It is erased at the
/// end.
std::unique_ptr<Progress> make_progress(bool quiet);

/// The width for text: that of the terminal, or COLUMNS, or 160.
std::size_t text_columns();

/// If the user stops the program (Ctrl-C, kill), the file is removed before it ends. An empty path
/// cancels this.
void remove_if_interrupted(const std::string& path);

/// The same for a folder and everything in it.
void remove_folder_if_interrupted(const std::string& path);

}  // namespace tactus::cli

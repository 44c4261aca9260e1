#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/progress.h"

namespace tactus::cli {

/// A progress bar on standard error if that is a terminal, nothing otherwise. It is erased at the
/// end.
std::unique_ptr<Progress> make_progress(bool quiet);

/// True if what is printed is read by a person, not by a file or a pipe.
bool prints_to_terminal();

/// How wide lines on standard error may be: as the terminal is, or as COLUMNS says; 0 if nothing
/// says it.
std::size_t error_columns();

/// How wide text should be: as the terminal is, as COLUMNS says, or 160.
std::size_t text_columns();

}  // namespace tactus::cli

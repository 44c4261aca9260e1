#pragma once

#include <array>
#include <string>
#include <vector>

#include "explain/comparison.h"

namespace tactus::cli {

/// The files of the normal and the abnormal side.
using ComparedFiles = std::array<std::vector<std::string>, 2>;

/// What readers call the two sides: their file names, with folders in front where those are equal.
std::array<std::string, 2> labels_of(const ComparedFiles& files);

/// Commands to type next name the files that were compared, in place of NORMAL, ABNORMAL and RUN.
/// What needs a trace is left out if they are patterns.
void name_files(const ComparedFiles& files, bool are_patterns, std::vector<NextStep>& next);

}  // namespace tactus::cli

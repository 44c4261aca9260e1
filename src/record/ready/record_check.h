#pragma once

#include <string>
#include <vector>

#include "check/build_check.h"

namespace tactus::record {

/// What recording needs and costs here: tries each thing, which takes about a second.
void check_ready_to_record(std::vector<CheckItem>& items, const std::string& root = "");

/// Its parts that only look at files, below a folder that stands for /.
CheckItem check_ptrace(const std::string& root, bool is_administrator);
CheckItem check_cupti(const std::string& root, const std::string& library_path);

}  // namespace tactus::record

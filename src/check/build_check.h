#pragma once

#include <string>
#include <vector>

#include "check/machine_facts.h"

namespace tactus {

enum class CheckState : unsigned char { kOk, kMissing, kDenied };

/// What an item is needed for.
enum class CheckPurpose : unsigned char { kBuild, kRun, kRecord };

/// One thing that has to be there, and whether it is.
struct CheckItem {
  CheckPurpose purpose = CheckPurpose::kBuild;
  std::string item;  ///< "host compiler"
  CheckState state = CheckState::kOk;
  std::string found;  ///< what there is, in words
  std::string fix;    ///< what to do, in a line; may be there where all is well but could be better
};

std::string_view check_state_name(CheckState state);        ///< "ok", "missing", "denied"
std::string_view check_purpose_name(CheckPurpose purpose);  ///< "build", "run", "record"

/// What can be built, run and recorded on a machine with these facts.
std::vector<CheckItem> check_machine(const MachineFacts& facts);

/// The parts of it: GPUs and their driver; the compilers; what recording needs.
void check_driver(const MachineFacts& facts, std::vector<CheckItem>& items);
void check_compilers(const MachineFacts& facts, std::vector<CheckItem>& items);
void check_recording(const MachineFacts& facts, std::vector<CheckItem>& items);

}  // namespace tactus

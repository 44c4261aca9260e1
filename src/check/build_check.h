#pragma once

#include <string>
#include <vector>

#include "check/machine_facts.h"

namespace tactus {

enum class CheckState : unsigned char { kOk, kMissing, kDenied };

/// What an item is needed for.
enum class CheckPurpose : unsigned char { kBuild, kRun, kRecord };

/// One requirement, and whether it is met.
struct CheckItem {
  CheckPurpose purpose = CheckPurpose::kBuild;
  std::string item;  ///< "host compiler"
  CheckState state = CheckState::kOk;
  std::string found;  ///< what was found, in words
  std::string fix;    ///< what to do, in one line; may also be set if all is well but could be
                      ///< better
};

std::string_view check_state_name(CheckState state);        ///< "ok", "missing", "denied"
std::string_view check_purpose_name(CheckPurpose purpose);  ///< "build", "run", "record"

/// What can be built, run and recorded on a machine with these facts.
std::vector<CheckItem> check_machine(const MachineFacts& facts);

/// Its parts: GPUs and their driver; the compilers; the needs of recording.
void check_driver(const MachineFacts& facts, std::vector<CheckItem>& items);
void check_compilers(const MachineFacts& facts, std::vector<CheckItem>& items);
void check_recording(const MachineFacts& facts, std::vector<CheckItem>& items);

}  // namespace tactus

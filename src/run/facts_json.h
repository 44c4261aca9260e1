#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "run/run.h"

namespace tactus {

/// Everything of a Run that is not a column or a string, as JSON: sources, processes, tracks,
/// devices, shapes, tallies, warnings and a kernel summary. Strings are named by their ids; what is
/// derived (identity.h) is left out.
///
/// Each call gives what is new or changed since the call before, so that a recorder writes a fact
/// once. Facts are never removed.
class FactsWriter {
 public:
  /// Empty if nothing changed.
  std::string changes(const Run& run);

 private:
  std::map<std::string, std::vector<std::uint64_t>, std::less<>> written_;  ///< hashes, by list
  std::string others_;  ///< what is not a list, as it was last written
};

/// Adds the changes to a run; `resolve_identity` derives the rest. False if the text is not such a
/// document or refers to missing things.
bool add_facts(std::string_view json, Run& run);

/// All facts of a file of version 1. `captured_slices` is the number of slices at the end of the
/// table that show captures; their categories get a captured twin (see Category).
bool facts_of_version_1(std::string_view json, Run& run, std::size_t& captured_slices);

}  // namespace tactus

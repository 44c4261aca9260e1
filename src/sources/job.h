#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "run/run.h"

namespace tactus {

/// What the name of a file and the names of its folders say about who recorded it.
struct PlaceInName {
  std::optional<std::int64_t> rank;                 ///< "rank3.json", "rank_3/trace.json"
  std::map<std::string, std::int64_t> coordinates;  ///< "TP-1-DP-0": tp 1, dp 0
  bool is_of_folder = false;  ///< so says the name of a folder: "tp2" may be how many there are
  std::string host;           ///< "gpu-7_4711.1790857026000000000.pt.trace.json" was made on gpu-7
};
PlaceInName place_in_name(const std::string& path);

/// One input of several that become one run.
struct JobPart {
  std::string path;
  SourceId source;
  PlaceInName place;
  std::optional<TimeSpan> span;  ///< since the epoch; unknown if the source has no such time
  std::size_t first_slice = 0;   ///< in the run
  bool has_slices = false;
};

/// Gives sources that do not know their rank the one that their names tell. If names have several
/// coordinates (TP-1-DP-0), ranks count pipeline stages first, then replicas, then tensor parts.
/// Coordinates of folders are ranks only if they tell the inputs apart.
void set_ranks_by_name(Run& run, const std::vector<JobPart>& parts);

/// Why the inputs are clearly not the ranks of one job: a rank twice, different world sizes or
/// devices, recorded days apart. Empty if they can be. Distinct ranks of one world size always can.
std::string why_not_one_job(const Run& run, const std::vector<JobPart>& parts);

/// An input that holds the same recording as another one.
struct Copy {
  std::string text;           ///< a sentence; empty if there is none
  bool is_same_file = false;  ///< the same path twice; else somebody may have made ranks of copies
};
Copy copy_among(const Run& run, const std::vector<JobPart>& parts);

/// What is not known about inputs that are read as the ranks of one job: nothing shows that they
/// are. Empty if something does.
std::string why_perhaps_not_one_job(const Run& run, const std::vector<JobPart>& parts);

/// "2 of 4 ranks are missing: 1, 3"; empty if none is, or the size of the job is not known.
std::string missing_ranks(const Run& run);

}  // namespace tactus

#pragma once

#include <unordered_map>

#include "run/tact/tact_file.h"
#include "watch/sources/step_source.h"

namespace tactus::watch {

/// Reads the annotations of steps out of a run that grows, row by row.
class GrowingSteps {
 public:
  struct Found {
    std::string name;
    std::optional<std::int64_t> rank;
    Step step;
  };
  /// Appends the steps of rows that were not looked at yet.
  void take(const Run& run, std::vector<Found>& into);
  std::size_t rows() const { return next_row_; }

 private:
  /// What the name of a slice says.
  struct Meaning {
    bool is_step = false;
    bool is_engine = false;  ///< the engine says so, not the recorder
    Step work;
  };
  struct Owner {
    std::string name;
    std::optional<std::int64_t> rank;
    bool has_engine = false;
  };
  const Meaning& meaning_of(const Run& run, std::int64_t name);
  Owner& owner_of(const Run& run, std::int64_t track);

  std::size_t next_row_ = 0;
  std::vector<std::size_t> next_argument_;  ///< by shape
  std::unordered_map<std::int64_t, Meaning> meanings_;
  std::unordered_map<std::int64_t, Owner> owners_;
  std::unordered_map<std::int64_t, std::size_t> tracks_of_process_;
};

/// The work that an engine's name of a step tells; nothing for other names.
std::optional<Step> work_of_name(std::string_view name);

}  // namespace tactus::watch

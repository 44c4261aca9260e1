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
    std::int64_t process = -1;
    bool has_engine = false;
  };
  /// Threads of a process that run steps.
  struct Threads {
    std::string name;  ///< of the process
    std::size_t count = 0;
    std::size_t steps = 0;     ///< seen in all, as the next
    std::size_t overlaps = 0;  ///< steps that began before one of another thread had ended
    /// Threads of a pool that take turns have one loop.
    bool take_turns() const { return count > 1 && overlaps * 20 <= steps; }
  };
  struct Taken {
    std::int64_t track = 0;
    bool is_engine = false;
    Found found;
  };
  void note_overlaps(std::vector<Taken>& taken);
  const Meaning& meaning_of(const Run& run, std::int64_t name);
  Owner& owner_of(const Run& run, std::int64_t track);

  std::size_t next_row_ = 0;
  std::vector<std::size_t> next_argument_;  ///< by shape
  std::unordered_map<std::int64_t, Meaning> meanings_;
  std::unordered_map<std::int64_t, Owner> owners_;
  std::unordered_map<std::int64_t, Threads> threads_of_process_;
};

/// The work that an engine's name of a step tells; nothing for other names.
std::optional<Step> work_of_name(std::string_view name);

}  // namespace tactus::watch

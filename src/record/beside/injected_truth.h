#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/beside/note.h"
#include "run/builder.h"

namespace tactus::record {

/// What was done to the machine on purpose while it was recorded.
struct InjectedTruth {
  std::string scenario;
  std::string shape;
  double intensity = 0;
  double seconds = 0;
  double before = 0;          ///< [s] from the start of the injector to its load
  std::int64_t begin_ns = 0;  ///< ns since the epoch
  std::int64_t end_ns = 0;
};

/// What is asked about five times per second while a recording goes on.
struct BesideMoment {
  std::int64_t origin_ns = 0;  ///< when the recording began, in ns since the epoch
  std::int64_t pid = 0;        ///< the process that launches work, else the command
  bool has_launched = false;   ///< some process has launched work
  bool is_over = false;        ///< this is the last time
};

/// The answer.
struct BesideAnswer {
  bool may_end = false;     ///< the recording
  std::vector<Note> notes;  ///< to be written into it
};

/// The part of an injection that lies behind `from_ns`, since the epoch; nothing if none does.
std::optional<InjectedTruth> part_behind(const InjectedTruth& truth, std::int64_t from_ns);

/// Writes injections as slices of category `injection` on a track of their own, and notes about
/// them as instants.
class TruthFiller {
 public:
  TruthFiller(RunBuilder& builder, std::int64_t origin_ns, std::string host_name);

  void add(const InjectedTruth& truth);
  void add(const Note& note);

 private:
  void begin();

  RunBuilder& builder_;
  std::int64_t origin_ns_;
  std::string host_name_;
  bool has_begun_ = false;
  TrackId track_;
  ShapeId shape_;
  CategoryId category_;
};

}  // namespace tactus::record

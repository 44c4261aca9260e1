#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "run/run.h"

namespace tactus {

/// Times further than this from a source's time 0 are refused, so that sums never overflow.
inline constexpr std::int64_t kLatestTime = (std::int64_t{1} << 62) - 1;  // [ns], 146 years

/// An arrow from one slice to another, by their rows.
struct GivenLink {
  std::size_t from = 0;
  std::size_t to = 0;
};

/// Fills a Run. Sources come one after the other:
///   begin_source, then tracks, shapes, events and counters, then end_source; at last finish.
class RunBuilder {
 public:
  Run& run() { return run_; }
  const Run& run() const { return run_; }

  SourceId begin_source(std::string_view path, std::string_view kind);
  /// Times of the source count from `base_ns` (ns since the epoch; 0 if they are absolute).
  void end_source(std::int64_t base_ns, std::uint64_t bytes);
  Source& source() { return run_.sources.back(); }
  /// Time 0 of all columns while sources are read, in ns since the epoch.
  std::int64_t first_base_ns() const { return base_ns_.value_or(0); }
  SourceId source_id() const { return SourceId(run_.sources.size() - 1); }

  StringId intern(std::string_view text) { return run_.strings.intern(text); }
  /// For text that may not be UTF-8: invalid bytes are replaced and counted.
  StringId intern_repaired(std::string_view text);
  static Ident ident(std::int64_t number) { return {number, false}; }
  Ident ident(std::string_view text) { return {intern(text).value, true}; }

  /// The process with that pid in the source being read.
  ProcessId process(Ident pid) { return process(source_id(), pid); }
  /// The same for any source: a recorder reads several at a time.
  ProcessId process(SourceId source, Ident pid);
  ThreadId thread(ProcessId process, Ident tid);
  TrackId track(ThreadId thread, bool on_device);
  CategoryId category(std::string_view name);
  ShapeId shape(const ArgShape& fields);
  bool has_shape(const ArgShape& fields) const;
  SeriesId series(const CounterSeries& series);
  StackId stack(std::int64_t parent, StringId frame);

  /// An arrow of the source between two slices (rows). From a call to work of the device, it is a
  /// launch, unless the correlation ids tell that already.
  void add_link(std::size_t from, std::size_t to) { given_links_.push_back({from, to}); }

  void drop(std::string_view reason, std::uint64_t count = 1);
  void repair(std::string_view reason, std::uint64_t count = 1);
  void warn(std::string message);
  /// How it was recorded, which is no fault.
  void remark(std::string message);

  /// The sources after this call show how graphs were captured; see Category::is_captured.
  void begin_captures() { in_captures_ = true; }

  /// Sets time 0 to the first event, makes the links, and returns the run. Its time columns are in
  /// the time of their source: `apply_clocks` maps them.
  Run finish();

 private:
  struct FirstRows {
    std::size_t slices = 0;
    std::size_t instants = 0;
    std::size_t flows = 0;
    std::size_t counters = 0;
  };

  void shift(std::int64_t delta, const FirstRows& first);

  Run run_;
  FirstRows first_;
  std::optional<std::pair<std::size_t, std::size_t>> own_;  ///< slices and instants before captures
  bool in_captures_ = false;
  std::optional<std::int64_t> base_ns_;  ///< of the first source; times of the others are shifted
                                         ///< to it
  std::map<std::pair<SourceId, Ident>, ProcessId> processes_;
  std::map<std::pair<ProcessId, Ident>, ThreadId> threads_;
  std::map<std::pair<ThreadId, bool>, TrackId> tracks_;
  std::unordered_map<std::string, CategoryId> categories_[2];  ///< own, captured
  std::map<std::vector<std::uint64_t>, ShapeId> shapes_;
  std::map<CounterSeries, SeriesId> series_;
  std::map<std::pair<std::int64_t, StringId>, StackId> stacks_;
  std::vector<GivenLink> given_links_;
};

/// Builds the Links of a run from correlation ids, Python ids, flow points, and arrows that the
/// source gave.
void build_links(Run& run, std::vector<GivenLink> given = {});
/// The links that follow flow points.
void build_flow_links(Run& run);

}  // namespace tactus

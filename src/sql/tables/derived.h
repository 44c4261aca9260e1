#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cycles/cycles.h"
#include "cycles/wanted_slices.h"
#include "names/decoded_names.h"
#include "run/filter.h"
#include "run/run.h"
#include "sql/scan/deadline.h"

namespace tactus::sql {

/// Where a slice ran, in words and numbers: one per track.
struct Place {
  std::optional<std::int64_t> device;
  std::optional<std::int64_t> stream;
  std::optional<std::int64_t> pid;
  std::string_view pid_text;  ///< of a process without a number
  std::string_view process;
  std::optional<std::int64_t> tid;
  std::string_view tid_text;
  std::string_view thread;
  std::optional<std::int64_t> rank;
  std::string_view host;
};

/// What the tables show besides the columns of the run. Each part is worked out when a query first
/// uses it. A part that is not done when the time of the query is over is not kept: the columns
/// have no values then, and the query must end with an error.
class Derived {
 public:
  Derived(const Run& run, const WantedSlices& wanted, Deadline& deadline);

  const Run& run() const { return run_; }
  const WantedSlices& wanted() const { return wanted_; }
  const SliceFilter& filter() const { return wanted_.filter; }
  const std::vector<Place>& places() const { return places_; }

  const KernelName& decoded(std::int64_t name);
  std::string_view short_name(std::int64_t name);

  // By row of run.slices, -1 for none.
  const Column& launching_call();
  const Column& op();
  const Column& python_frame();
  const Column& module();
  const Column& step();
  /// By row of run.counters: 0 if the time of the sample is wanted, -1 if not.
  const Column& sample_is_taken();
  /// The next slice around a slice on its own host thread.
  const Column& parent();
  /// The next op around an op.
  const Column& parent_op();
  /// An integer argument of that name.
  const Column& int_arg(const std::string& key);

  /// The name of the slice that each row refers to: a StringId, -1 for none.
  const Column& name_of(const Column& rows);

  const std::vector<Cycle>& steps();

  /// Whether something may be missing because the time is over.
  bool is_stopped() const { return deadline_.was_over(); }
  /// A column without values.
  const Column& nothing(std::size_t rows);

  /// Sentences about what could not be worked out.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  void find_sites();
  void find_steps();
  void keep_steps(const Cycles& cycles);
  const Column& site_column(const Column& column);
  const Column& enclosing(std::optional<Column>& column, bool (*counts)(SliceKind));

  const Run& run_;
  WantedSlices wanted_;
  Deadline& deadline_;
  std::vector<Place> places_;
  std::optional<DecodedNames> names_;
  std::map<std::int64_t, std::string> short_names_;
  bool has_sites_ = false;
  Column calls_, ops_, frames_, modules_;
  std::optional<Column> steps_column_;
  std::vector<Cycle> steps_;
  std::optional<Column> samples_taken_;
  std::optional<Column> parents_, parent_ops_;
  std::map<std::string, Column> int_args_;
  std::map<const Column*, Column> names_of_;
  std::map<std::size_t, Column> nothing_;  ///< by rows
  std::vector<std::string> warnings_;
};

}  // namespace tactus::sql

#include "sources/join_counters.h"

#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "base/arithmetic.h"
#include "run/identity.h"

namespace tactus {
namespace {

std::optional<SourceId> only_source(const Run& run) {
  std::optional<SourceId> only;
  for (std::size_t i = 0; i < run.sources.size(); ++i) {
    if (run.sources[i].kind == "counters" || run.sources[i].is_capture) continue;
    if (only) return std::nullopt;
    only = SourceId(i);
  }
  return only;
}

/// A column that a file keeps cannot be written to: it is replaced by one in memory.
void append(LazyColumn& column, const std::vector<std::int64_t>& values) {
  const Column& before = column.get();
  std::vector<std::int64_t> all(before.size());
  before.read(0, all);
  LazyColumn joined;
  joined.writable().append(all);
  joined.writable().append(values);
  joined.writable().shrink();
  column = std::move(joined);
}

class Joiner {
 public:
  Joiner(const Run& samples, Run& run) : samples_(samples), run_(run), beside_(only_source(run)) {}

  void join() {
    first_source_ = run_.sources.size();
    for (const Source& source : samples_.sources) add(source);
    const std::size_t first_series = run_.series.size();
    for (const CounterSeries& series : samples_.series) add(series);
    append_samples(first_series);
    for (const auto& [reason, count] : samples_.dropped) run_.dropped[reason] += count;
    for (const auto& [reason, count] : samples_.repaired) run_.repaired[reason] += count;
    run_.warnings.insert(run_.warnings.end(), samples_.warnings.begin(), samples_.warnings.end());
    resolve_identity(run_);
  }

 private:
  StringId text(StringId id) { return run_.strings.intern(samples_.strings[id]); }

  void add(const Source& from) {
    Source source{.path = text(from.path),
                  .kind = from.kind,
                  .bytes = from.bytes,
                  .base_ns = from.base_ns,
                  .host_name = text(from.host_name)};
    if (beside_) {
      const Source& main = run_.sources[beside_->value];
      source.beside = *beside_;
      source.rank = main.rank;
      source.clock = main.clock;
    }
    run_.sources.push_back(std::move(source));
  }

  void add(const CounterSeries& from) {
    CounterSeries series = from;
    series.source = SourceId(first_source_ + from.source.value);
    for (StringId CounterSeries::*member :
         {&CounterSeries::name, &CounterSeries::field, &CounterSeries::category,
          &CounterSeries::place, &CounterSeries::unit}) {
      series.*member = text(from.*member);
    }
    run_.series.push_back(series);
  }

  void append_samples(std::size_t first_series) {
    const Counters& from = samples_.counters;
    const std::int64_t shift = wrapping_subtract(samples_.origin_ns, run_.origin_ns);
    const Clock clock = beside_ ? run_.sources[beside_->value].clock : Clock();
    std::vector<std::int64_t> times;
    std::vector<std::int64_t> series;
    std::vector<std::int64_t> values;
    for (std::size_t row = 0; row < from.rows; ++row) {
      times.push_back(clock.to_run(wrapping_add(from.time()[row], shift)));
      series.push_back(from.series()[row] + static_cast<std::int64_t>(first_series));
      values.push_back(from.value()[row]);
    }
    append(run_.counters.columns[Counters::kTime], times);
    append(run_.counters.columns[Counters::kSeries], series);
    append(run_.counters.columns[Counters::kValue], values);
    run_.counters.rows += from.rows;
  }

  const Run& samples_;
  Run& run_;
  std::optional<SourceId> beside_;
  std::size_t first_source_ = 0;
};

}  // namespace

void join_counters(Run&& samples, Run& run) {
  Joiner(samples, run).join();
}

std::string counters_twice(const Run& run) {
  using Place = std::tuple<SourceId, ProcessId, StringId, StringId, StringId>;
  std::map<Place, SourceId> first;
  for (const CounterSeries& series : run.series) {
    if (series.source.value >= run.sources.size()) continue;
    const Source& source = run.sources[series.source.value];
    if (!source.beside.valid()) continue;
    const Place place{source.beside, series.process, series.name, series.field, series.place};
    const auto [known, is_new] = first.try_emplace(place, series.source);
    if (is_new || known->second == series.source) continue;
    return "counter " + std::string(run.strings[series.name]) + " is in " +
           std::string(run.strings[run.sources[known->second.value].path]) + " and in " +
           std::string(run.strings[source.path]) +
           ": the samples of both are used; leave one of the files out";
  }
  return {};
}

}  // namespace tactus

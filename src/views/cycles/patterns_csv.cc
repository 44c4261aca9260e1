#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

#include "base/arithmetic.h"
#include "base/interval.h"
#include "run/pattern_columns.h"
#include "views/common/text_table.h"
#include "views/cycles/patterns_view.h"

namespace tactus {
namespace {

/// The number with that many decimals. If it fits, it is written digit by digit: microseconds since
/// the epoch need more digits than a double has.
std::string with_places(std::int64_t raw, const StringPool& strings, std::size_t places) {
  std::string text = Decimal::to_text(raw, strings);
  if (text.empty()) return text;
  const std::size_t point = text.find('.');
  const std::size_t has = point == std::string::npos ? 0 : text.size() - point - 1;
  if (has > places || text.find_first_of("eE") != std::string::npos) {
    return fmt::format("{:.{}f}", Decimal::to_double(raw, strings), places);
  }
  if (has == 0) text += '.';
  return text.append(places - has, '0');
}

std::string pattern_cell(const Run& run, const PatternColumn& column, PatternNumbers numbers,
                         std::int64_t raw) {
  constexpr std::size_t kPlaces = 4;
  switch (column.content) {
    case PatternColumn::Content::kWhole:
      return raw == kUnknownInstances ? std::string() : std::to_string(raw);
    case PatternColumn::Content::kText:
      return csv_cell(run.strings[StringId(static_cast<std::uint64_t>(raw))]);
    case PatternColumn::Content::kDecimal:
      return numbers == PatternNumbers::kAsKept ? Decimal::to_text(raw, run.strings)
                                                : with_places(raw, run.strings, kPlaces);
  }
  return {};
}

/// The cycles' times, overlaps joined.
std::vector<Interval> windows_of(const Cycles& cycles) {
  std::vector<Interval> all;
  for (const Cycle& cycle : cycles.cycles) {
    all.push_back({cycle.start_ns, wrapping_add(cycle.start_ns, cycle.dur_ns)});
  }
  return joined(std::move(all));
}

bool lies_in(const std::vector<Interval>& windows, std::int64_t time_ns) {
  const auto after = std::upper_bound(
      windows.begin(), windows.end(), time_ns,
      [](std::int64_t time, const Interval& window) { return time < window.begin_ns; });
  return after != windows.begin() && time_ns <= std::prev(after)->end_ns;
}

/// The host for counters without one: the only host that the run names.
std::string_view only_host(const Run& run) {
  std::set<std::string_view> hosts;
  for (const Host& host : run.hosts) hosts.insert(run.strings[host.name]);
  hosts.erase("");
  return hosts.size() == 1 ? *hosts.begin() : std::string_view();
}

struct SampleLine {
  std::string_view name;
  std::int64_t time_ns = 0;
  std::string value;
  std::string_view host;

  auto operator<=>(const SampleLine&) const = default;
};

std::vector<SampleLine> samples_in(const Run& run, const std::vector<Interval>& windows) {
  constexpr std::size_t kPlaces = 6;
  const std::string_view host = only_host(run);
  std::vector<SampleLine> lines;
  for (std::size_t row = 0; row < run.counters.rows; ++row) {
    const std::int64_t time_ns = run.counters.time()[row];
    const auto index = static_cast<std::size_t>(run.counters.series()[row]);
    if (index >= run.series.size() || !lies_in(windows, time_ns)) continue;
    const CounterSeries& series = run.series[index];
    const std::string_view own = series.host.value < run.hosts.size()
                                     ? run.strings[run.hosts[series.host.value].name]
                                     : std::string_view();
    lines.push_back({run.strings[series.name], time_ns,
                     with_places(run.counters.value()[row], run.strings, kPlaces),
                     own.empty() ? host : own});
  }
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

/// Nanoseconds as microseconds with six decimals.
std::string microseconds(std::int64_t ns) {
  const char* sign = ns < 0 ? "-" : "";
  const auto positive =
      ns < 0 ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
  return fmt::format("{}{}.{:03}000", sign, positive / 1000, positive % 1000);
}

}  // namespace

Status write_patterns(const Run& run, PatternNumbers numbers, BufferedOutput& out) {
  for (std::size_t column = 0; column < kPatternColumns.size(); ++column) {
    fmt::format_to(std::back_inserter(out.text()), "{}{}", column == 0 ? "" : ",",
                   kPatternColumns[column].name);
  }
  for (std::size_t row = 0; row < run.patterns.rows; ++row) {
    out.text() += '\n';
    for (std::size_t column = 0; column < kPatternColumns.size(); ++column) {
      if (column != 0) out.text() += ',';
      out.text() +=
          pattern_cell(run, kPatternColumns[column], numbers, run.patterns.column(column)[row]);
    }
    out.flush_if_full();
  }
  out.text() += '\n';
  return out.finish();
}

Status write_counters_of_cycles(const Run& run, const Cycles& cycles, BufferedOutput& out) {
  out.text() += "counter_name,timestamp,value,hostname\n";
  for (const SampleLine& line : samples_in(run, windows_of(cycles))) {
    fmt::format_to(std::back_inserter(out.text()), "{},{},{},{}\n", csv_cell(line.name),
                   microseconds(wrapping_add(run.origin_ns, line.time_ns)), line.value,
                   csv_cell(line.host));
    out.flush_if_full();
  }
  return out.finish();
}

}  // namespace tactus

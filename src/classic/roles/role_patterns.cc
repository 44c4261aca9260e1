#include "classic/roles/role_patterns.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "run/args/value.h"
#include "stats/tests.h"

namespace tactus {
namespace {

using Cell = std::int64_t;

StringId text_id(Cell cell) {
  return StringId(static_cast<std::uint64_t>(cell));
}

/// Texts of a run that mean "nothing": those that pandas reads as missing, because the classic
/// reports were made with it. "N/A" means "no metric" in patterns.
class MissingTexts {
 public:
  explicit MissingTexts(const StringPool& strings) {
    static constexpr std::string_view kTexts[] = {
        "",     "#N/A",   "#N/A N/A", "#NA",  "-1.#IND", "-1.#QNAN", "-NaN",
        "-nan", "1.#IND", "1.#QNAN",  "<NA>", "N/A",     "NA",       "NULL",
        "NaN",  "None",   "n/a",      "nan",  "null"};
    for (const std::string_view text : kTexts) {
      if (const std::optional<StringId> id = strings.find(text)) ids_.push_back(id->value);
    }
  }
  bool has(Cell cell) const {
    return std::find(ids_.begin(), ids_.end(), text_id(cell).value) != ids_.end();
  }

 private:
  std::vector<std::uint32_t> ids_;
};

/// The rows of one series during collection.
struct SeriesRows {
  std::array<Cell, 3> key;  ///< function, metric, device; no device is -1
  std::vector<double> beta_pct;
  std::vector<double> mu_pct;
  std::vector<std::int64_t> cycles;
};

struct KeyHash {
  std::size_t operator()(const std::array<Cell, 3>& key) const {
    std::uint64_t hash = 0;
    for (const Cell part : key) {
      hash = (hash ^ static_cast<std::uint64_t>(part)) * 0x9E3779B97F4A7C15;
      hash ^= hash >> 32;
    }
    return hash;
  }
};

constexpr Cell kNoDevice = -1;

/// Collects the rows of one process.
class RoleRows {
 public:
  void add(const Run& run, const MissingTexts& missing, std::size_t row) {
    const auto cell = [&](Patterns::ColumnIndex column) {
      return run.patterns.column(column)[row];
    };
    const auto number = [&](Patterns::ColumnIndex column) {
      return Decimal::to_double(cell(column), run.strings);
    };
    const double cycle_us = number(Patterns::kAnchorDurUs);
    const std::int64_t cycle = cell(Patterns::kCycle);
    // Rows of one cycle mostly follow each other.
    if (cycles_.empty() || cycle != last_cycle_ || cycle_us != last_cycle_us_) {
      cycles_.emplace(cycle, cycle_us);
      last_cycle_ = cycle;
      last_cycle_us_ = cycle_us;
    }
    if (!std::isnan(cycle_us)) row_cycle_us_.push_back(cycle_us);

    const Cell function = cell(Patterns::kFunction);
    const Cell metric = cell(Patterns::kMetric);
    if (missing.has(function) || missing.has(metric)) return;
    const Cell device = cell(Patterns::kDevice);
    const std::array<Cell, 3> key = {function, metric, missing.has(device) ? kNoDevice : device};
    const auto [place, is_new] = places_.try_emplace(key, series_.size());
    if (is_new) series_.push_back({.key = key});
    SeriesRows& series = series_[place->second];
    const double beta = number(Patterns::kBetaPct);
    const double mu = number(Patterns::kMuPct);
    if (!std::isnan(beta)) series.beta_pct.push_back(beta);
    series.mu_pct.push_back(std::isnan(mu) ? 0 : mu);
    series.cycles.push_back(cycle);
  }

  RolePatterns finish(const Run& run, std::int64_t pid, std::string_view host) && {
    RolePatterns role{.pid = pid, .host = host};
    for (SeriesRows& rows : series_) {
      std::sort(rows.cycles.begin(), rows.cycles.end());
      const auto end = std::unique(rows.cycles.begin(), rows.cycles.end());
      role.series.push_back(
          {.function = run.strings[text_id(rows.key[0])],
           .metric = run.strings[text_id(rows.key[1])],
           .device = rows.key[2] == kNoDevice ? "N/A" : run.strings[text_id(rows.key[2])],
           .beta_pct = std::move(rows.beta_pct),
           .mu_pct = std::move(rows.mu_pct),
           .cycles = end - rows.cycles.begin()});
    }
    std::sort(role.series.begin(), role.series.end(),
              [](const PatternSeries& a, const PatternSeries& b) {
                return std::tie(a.function, a.metric, a.device) <
                       std::tie(b.function, b.metric, b.device);
              });
    for (const auto& [cycle, us] : cycles_) role.cycle_us.push_back(us);
    std::sort(role.cycle_us.begin(), role.cycle_us.end(),
              [](double a, double b) { return std::isnan(b) ? !std::isnan(a) : a > b; });
    role.cycle_us_stddev = moments(row_cycle_us_).stddev;
    return role;
  }

 private:
  struct UnknownLast {
    bool operator()(const std::pair<Cell, double>& a, const std::pair<Cell, double>& b) const {
      if (a.first != b.first) return a.first < b.first;
      return std::isnan(b.second) ? !std::isnan(a.second) : a.second < b.second;
    }
  };

  std::unordered_map<std::array<Cell, 3>, std::size_t, KeyHash> places_;
  std::vector<SeriesRows> series_;
  std::set<std::pair<Cell, double>, UnknownLast> cycles_;  ///< number and length in us
  std::int64_t last_cycle_ = 0;
  double last_cycle_us_ = 0;
  std::vector<double> row_cycle_us_;
};

}  // namespace

RolePatterns read_role(const Run& run, std::int64_t pid, const std::optional<std::string>& host) {
  const MissingTexts missing(run.strings);
  const std::optional<StringId> host_id = host ? run.strings.find(*host) : std::nullopt;
  RoleRows rows;
  const auto is_on_host = [&](std::size_t row) {
    return host_id && text_id(run.patterns.column(Patterns::kHost)[row]) == *host_id;
  };
  run.patterns.column(Patterns::kPid)
      .for_each_piece(0, run.patterns.rows, [&](std::size_t first, std::span<const Cell> pids) {
        for (std::size_t i = 0; i < pids.size(); ++i) {
          if (pids[i] == pid && (!host || is_on_host(first + i))) rows.add(run, missing, first + i);
        }
      });
  return std::move(rows).finish(run, pid, host_id ? run.strings[*host_id] : std::string_view());
}

std::vector<RolePatterns> read_roles(const Run& run) {
  const MissingTexts missing(run.strings);
  std::map<std::pair<std::int64_t, std::string_view>, RoleRows> by_role;
  RoleRows* last = nullptr;  // rows of one role mostly follow one another
  std::pair<Cell, Cell> last_role;
  for (std::size_t row = 0; row < run.patterns.rows; ++row) {
    const std::pair<Cell, Cell> role = {run.patterns.column(Patterns::kPid)[row],
                                        run.patterns.column(Patterns::kHost)[row]};
    if (last == nullptr || role != last_role) {
      last = &by_role[{role.first, run.strings[text_id(role.second)]}];
      last_role = role;
    }
    last->add(run, missing, row);
  }
  std::vector<RolePatterns> roles;
  roles.reserve(by_role.size());
  for (auto& [role, rows] : by_role) {
    roles.push_back(std::move(rows).finish(run, role.first, role.second));
  }
  return roles;
}

std::vector<std::int64_t> pattern_pids(const Run& run) {
  std::set<std::int64_t> pids;
  run.patterns.column(Patterns::kPid)
      .for_each_piece(0, run.patterns.rows, [&](std::size_t, std::span<const Cell> values) {
        pids.insert(values.begin(), values.end());
      });
  return {pids.begin(), pids.end()};
}

}  // namespace tactus

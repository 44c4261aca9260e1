#include "views/bench_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "bench/timing.h"
#include "views/text_table.h"

namespace tactus {
namespace {

std::string time_cell(const std::optional<double>& t_ns) {
  if (!t_ns) return "-";
  if (*t_ns < 1e6) return fmt::format("{:.2f} us", *t_ns / 1e3);
  if (*t_ns < 1e9) return fmt::format("{:.3f} ms", *t_ns / 1e6);
  return fmt::format("{:.3f} s", *t_ns / 1e9);
}

std::string percent_cell(const std::optional<double>& value) {
  return value ? fmt::format("{:.1f}%", 100 * *value) : "-";
}

std::string spread_cell(const BenchRow& row) {
  if (!row.t_ns || !row.t_low_ns || !row.t_high_ns || *row.t_ns <= 0) return "-";
  const std::string spread = fmt::format("-{:.1f}/+{:.1f}%", 100 * (1 - *row.t_low_ns / *row.t_ns),
                                         100 * (*row.t_high_ns / *row.t_ns - 1));
  return row.interval_known ? spread : "(" + spread + ")";
}

std::string rival_cell(const BenchRow& row) {
  if (!row.rival || !row.t_ns || *row.t_ns <= 0) return "-";
  return fmt::format("{:.2f}x", row.rival->t_ns / *row.t_ns);
}

const Shape* shape_of(const Catalogue& catalogue, const BenchRow& row) {
  for (const Operator& op : catalogue.operators) {
    if (op.name != row.operator_name) continue;
    for (const Shape& shape : op.shapes) {
      if (shape.id == row.shape_id) return &shape;
    }
  }
  return nullptr;
}

std::string score_sentences(const BenchResult& result) {
  std::map<BenchStatus, int> counts;
  for (const BenchRow& row : result.rows) ++counts[row.status];
  std::string text =
      fmt::format("{} shapes: {} right", result.rows.size(), counts[BenchStatus::kOk]);
  for (const BenchStatus status : {BenchStatus::kWrong, BenchStatus::kError,
                                   BenchStatus::kBuildFailed, BenchStatus::kSkipped}) {
    if (counts[status] > 0) {
      text += fmt::format(", {} {}", counts[status], bench_status_name(status));
    }
  }
  text += ".\n";
  if (result.score.weighted_s) {
    text += fmt::format(
        "Score: {:.1f}% of the bound ({:.1f}% if no kernel can be shorter than a launch), weighted "
        "by "
        "importance over {:.0f}% of it.\n",
        100 * *result.score.weighted_s, 100 * result.score.weighted_s_with_launch.value_or(0),
        100 * result.score.covered_importance);
  }
  return text;
}

std::vector<double> all_of(const BenchResult& result, std::optional<double> BenchRow::*field) {
  std::vector<double> values;
  for (const BenchRow& row : result.rows) {
    if (row.*field) values.push_back(*(row.*field));
  }
  return values;
}

/// "An empty kernel takes 2.65 us here; ..." where there is a second floor to compare it with.
std::string floor_sentence(const BenchResult& result) {
  const std::vector<double> touch = all_of(result, &BenchRow::touch_floor_ns);
  if (touch.empty()) return {};
  const std::vector<double> empty = all_of(result, &BenchRow::launch_floor_ns);
  return fmt::format(
      "An empty kernel takes {} here; one in which every multiprocessor reads and writes 4 KB of "
      "cold memory {}.\n",
      time_cell(median_interval(empty).median), time_cell(median_interval(touch).median));
}

std::string interval_sentences(const BenchResult& result) {
  bool known = false;
  bool unknown = false;
  for (const BenchRow& row : result.rows) {
    if (!row.t_ns) continue;
    known = known || row.interval_known;
    unknown = unknown || !row.interval_known;
  }
  std::string text = "S is the bound over the time";
  if (known) text += "; the interval holds the true median with 95%";
  if (unknown) text += "; (in brackets) is all that was seen, too little for an interval";
  return text + ".\n";
}

/// Rows of both results that can be compared, in the order of the second.
template <class Visit>
void each_pair(const BenchResult& before, const BenchResult& after, Visit visit) {
  std::map<std::pair<std::string, std::string>, const BenchRow*> known;
  for (const BenchRow& row : before.rows) known[{row.operator_name, row.shape_id}] = &row;
  for (const BenchRow& row : after.rows) {
    const auto found = known.find({row.operator_name, row.shape_id});
    if (found != known.end() && found->second->t_ns && row.t_ns) visit(*found->second, row);
  }
}

MedianInterval interval_of(const BenchRow& row) {
  return {.median = row.t_ns.value_or(0),
          .low = row.t_low_ns.value_or(0),
          .high = row.t_high_ns.value_or(0),
          .known = row.interval_known};
}

/// What the clocks may be off when two results are compared: what they were off within a process,
/// and what an empty kernel, which is the same in all, took more in one process than in another.
class PairNoise {
 public:
  PairNoise(const BenchResult& before, const BenchResult& after)
      : between_processes_ns_(2 * std::max(spread_of(before), spread_of(after))) {}

  double ns(const BenchRow& a, const BenchRow& b) const {
    double between = between_processes_ns_;
    if (a.launch_floor_ns && b.launch_floor_ns) {
      between = std::max(between, std::abs(*a.launch_floor_ns - *b.launch_floor_ns));
    }
    return a.clock_noise_ns.value_or(0) + b.clock_noise_ns.value_or(0) + between;
  }

 private:
  static double spread_of(const BenchResult& result) {
    return clock_noise(all_of(result, &BenchRow::launch_floor_ns));
  }

  double between_processes_ns_;
};

}  // namespace

std::string bench_text(const BenchResult& result, const Catalogue& catalogue, std::size_t width) {
  TextTable table(
      {"operator", "shape", "result", "time", "interval", "bound", "S", "vs rival", "what"});
  bool rival = false;
  for (const BenchRow& row : result.rows) {
    const Shape* shape = shape_of(catalogue, row);
    std::string what = row.reason.empty() ? (shape == nullptr ? "" : shape->label) : row.reason;
    if (!row.note.empty()) what = row.note + "; " + what;
    rival = rival || row.rival.has_value();
    table.add({row.operator_name, row.shape_id, std::string(bench_status_name(row.status)),
               time_cell(row.t_ns), spread_cell(row), time_cell(row.t_sol_ns), percent_cell(row.s),
               rival_cell(row), printable(what.substr(0, what.find('\n')))});
  }
  const BenchMachine& machine = result.machine;
  std::string text = fmt::format("{} ({} bounds{})\n\n", machine.name, machine.profile,
                                 machine.driver.empty() ? "" : ", CUDA " + machine.driver);
  text += table.to_text(width) + "\n" + score_sentences(result);
  text += interval_sentences(result) + floor_sentence(result);
  if (rival) text += "vs rival: how many times longer the rival takes.\n";
  return text;
}

std::string bench_comparison_text(const BenchResult& before, const BenchResult& after,
                                  std::size_t width) {
  TextTable table({"operator", "shape", "before", "after", "ratio", "outcome"});
  std::array<int, 4> counts = {};
  const PairNoise noise(before, after);
  each_pair(before, after, [&](const BenchRow& a, const BenchRow& b) {
    const Outcome outcome = compare_times(interval_of(a), interval_of(b), noise.ns(a, b));
    ++counts[static_cast<std::size_t>(outcome)];
    table.add({b.operator_name, b.shape_id, time_cell(a.t_ns), time_cell(b.t_ns),
               fmt::format("{:.3f}", *b.t_ns / *a.t_ns), std::string(outcome_name(outcome))});
  });
  std::string text = table.to_text(width) + "\n";
  for (std::size_t i = 0; i < counts.size(); ++i) {
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", counts[i],
                        outcome_name(static_cast<Outcome>(i)));
  }
  return text + ".\n";
}

std::string bench_comparison_json(const BenchResult& before, const BenchResult& after) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  const PairNoise noise(before, after);
  each_pair(before, after, [&](const BenchRow& a, const BenchRow& b) {
    const double noise_ns = noise.ns(a, b);
    const Outcome outcome = compare_times(interval_of(a), interval_of(b), noise_ns);
    rows.push_back({{"operator", b.operator_name},
                    {"shape", b.shape_id},
                    {"before_ns", *a.t_ns},
                    {"after_ns", *b.t_ns},
                    {"ratio", *b.t_ns / *a.t_ns},
                    {"noise_ns", noise_ns},
                    {"outcome", outcome_name(outcome)}});
  });
  const nlohmann::ordered_json document = {{"pairs", rows},
                                           {"warnings", nlohmann::json::array()},
                                           {"dropped", nlohmann::json::object()}};
  return document.dump(1) + "\n";
}

}  // namespace tactus

#include "bench/results/bench_report.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "catalogue/operator_family.h"
#include "stats/summary.h"

namespace tactus {
namespace {

using ShapeName = std::pair<std::string, std::string>;  // operator, id

std::optional<double> median_if_any(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  return median(std::move(values));
}

std::optional<double> time_of(const BenchRow& row) {
  const bool right = row.status == BenchStatus::kOk && row.t_ns && *row.t_ns > 0;
  return right ? row.t_ns : std::nullopt;
}

MedianInterval interval(double t_ns, const std::optional<double>& low,
                        const std::optional<double>& high) {
  return {.median = t_ns,
          .low = low.value_or(t_ns),
          .high = high.value_or(t_ns),
          .known = low.has_value() && high.has_value()};
}

MedianInterval rival_interval(const BenchRow& row, const RivalTime& rival) {
  for (const RivalMeasurement& measured : row.rivals) {
    if (measured.name == rival.name && measured.t_ns == rival.t_ns) {
      return interval(rival.t_ns, measured.t_low_ns, measured.t_high_ns);
    }
  }
  return interval(rival.t_ns, std::nullopt, std::nullopt);
}

/// The row that represents its shape: the fastest correct one, else the last.
bool is_better(const BenchRow& row, const BenchRow& than) {
  const std::optional<double> t_ns = time_of(row);
  const std::optional<double> other = time_of(than);
  if (t_ns && other) return *t_ns < *other;
  if (t_ns || other) return t_ns.has_value();
  return row.status == BenchStatus::kOk || than.status != BenchStatus::kOk;
}

/// The fastest rival of any row about the shape: rivals do not depend on the candidate.
struct ShapeRows {
  const BenchRow* row = nullptr;
  const BenchRow* rival = nullptr;

  void take(const BenchRow& other) {
    if (row == nullptr || is_better(other, *row)) row = &other;
    if (!other.rival || !(other.rival->t_ns > 0)) return;
    if (rival == nullptr || other.rival->t_ns < rival->rival->t_ns) rival = &other;
  }
};

void add_times(ReportRow& entry, const ShapeRows& rows, const BenchReport& report) {
  const BenchRow& row = *rows.row;
  entry.row = &row;
  entry.t_ns = time_of(row);
  entry.t_sol_ns = row.t_sol_ns;
  if (!entry.t_sol_ns && entry.place) {
    const ShapeOnHardware& on = report.candidate_roofline.rows[*entry.place].on[0];
    const std::optional<SpeedOfLight>& bound = on.bound;
    if (bound) entry.t_sol_ns = bound->t_ns;
  }
  std::optional<double> with_launch = entry.t_sol_ns;
  const std::optional<double> floor =
      row.launch_floor_ns ? row.launch_floor_ns : report.launch_floor_ns;
  if (with_launch && floor) with_launch = std::max(*with_launch, *floor);
  if (rows.rival != nullptr) entry.rival = rows.rival->rival;
  if (entry.t_sol_ns && entry.t_ns) {
    entry.s = *entry.t_sol_ns / *entry.t_ns;
    entry.s_with_launch = *with_launch / *entry.t_ns;
  }
  if (entry.t_sol_ns && entry.rival) {
    entry.rival_s = *entry.t_sol_ns / entry.rival->t_ns;
    entry.rival_s_with_launch = *with_launch / entry.rival->t_ns;
  }
  if (rows.rival == nullptr) return;
  if (entry.t_ns) {
    MedianInterval own = interval(*entry.t_ns, row.t_low_ns, row.t_high_ns);
    own.known = own.known && row.interval_known;
    // Rivals are timed by the same clock.
    entry.outcome = compare_times(rival_interval(*rows.rival, *entry.rival), own,
                                  2 * row.clock_noise_ns.value_or(0));
  }
}

/// The shapes of the roofline that the result has, without deployed times.
Roofline only_those_of(const Roofline& all, const std::map<ShapeName, ShapeRows>& wanted) {
  Roofline kept = all;
  kept.rows.clear();
  kept.operators.clear();
  for (OperatorSummary summary : all.operators) {
    const std::size_t first = kept.rows.size();
    for (std::size_t i = 0; i < summary.rows; ++i) {
      const RooflineRow& row = all.rows[summary.first_row + i];
      if (!wanted.contains({row.op->name, row.shape->id})) continue;
      kept.rows.push_back(row);
      ShapeOnHardware& on = kept.rows.back().on[0];
      on = ShapeOnHardware{};
      on.bound = row.on[0].bound;
    }
    if (kept.rows.size() == first) continue;
    summary.first_row = first;
    summary.rows = kept.rows.size() - first;
    summary.middle_row = first + summary.rows / 2;
    kept.operators.push_back(std::move(summary));
  }
  return kept;
}

void set_time(Roofline& roofline, const ReportRow& entry, const std::optional<double>& t_ns,
              const std::optional<double>& s) {
  if (!entry.place) return;
  ShapeOnHardware& on = roofline.rows[*entry.place].on[0];
  on.t_prod_ns = t_ns;
  on.s = s;
}

void summarise(ReportGroup& group, const std::vector<ReportRow>& rows) {
  std::vector<double> s;
  std::vector<double> rival_s;
  std::vector<double> s_with_launch;
  std::vector<double> rival_s_with_launch;
  std::vector<double> of_copy;
  std::map<std::string, std::size_t> rivals;
  double logarithms = 0;
  for (const std::size_t place : group.rows) {
    const ReportRow& entry = rows[place];
    const BenchStatus status = entry.row->status;
    if (status == BenchStatus::kOk) ++group.right;
    if (status == BenchStatus::kSkipped) ++group.skipped;
    if (entry.s) s.push_back(*entry.s);
    if (entry.s_with_launch) s_with_launch.push_back(*entry.s_with_launch);
    if (status != BenchStatus::kOk && status != BenchStatus::kSkipped) {
      ++group.failed;
      s.push_back(0);
      s_with_launch.push_back(0);
    }
    if (const std::optional<double> share = entry.of_copy()) of_copy.push_back(*share);
    if (entry.rival) ++rivals[entry.rival->name];
    if (entry.rival_s) rival_s.push_back(*entry.rival_s);
    if (entry.rival_s_with_launch) rival_s_with_launch.push_back(*entry.rival_s_with_launch);
    if (const std::optional<double> ratio = entry.ratio()) {
      logarithms += std::log(*ratio);
      ++group.both;
      group.faster += entry.outcome == Outcome::kFaster ? 1 : 0;
      group.slower += entry.outcome == Outcome::kSlower ? 1 : 0;
    }
  }
  group.median_s = median_if_any(std::move(s));
  group.median_of_copy = median_if_any(std::move(of_copy));
  group.rival_median_s = median_if_any(std::move(rival_s));
  group.median_s_with_launch = median_if_any(std::move(s_with_launch));
  group.rival_median_s_with_launch = median_if_any(std::move(rival_s_with_launch));
  if (group.both > 0) group.ratio = std::exp(logarithms / static_cast<double>(group.both));
  std::size_t most = 0;
  for (const auto& [name, times] : rivals) {
    if (times <= most) continue;
    most = times;
    group.usual_rival = name;
  }
}

/// Operators in the catalogue's order (descending importance), unknown ones last.
void add_groups(BenchReport& report) {
  report.families.resize(kOperatorFamilies.size());
  std::map<std::string, std::size_t> known;  // operators, by name
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    const std::string& name = report.rows[i].row->operator_name;
    const std::size_t family = operator_family(name);
    const auto [place, is_new] = known.try_emplace(name, report.operators.size());
    if (is_new) {
      ReportGroup& group = report.operators.emplace_back();
      group.name = name;
      group.family = family;
      if (report.rows[i].op != nullptr) group.importance = report.rows[i].op->importance;
      report.families[family].importance += group.importance;
    }
    report.operators[place->second].rows.push_back(i);
    report.families[family].rows.push_back(i);
    report.total.rows.push_back(i);
  }
  for (std::size_t family = 0; family < report.families.size(); ++family) {
    report.families[family].name = kOperatorFamilies[family];
    report.families[family].family = family;
  }
  std::erase_if(report.families, [](const ReportGroup& group) { return group.rows.empty(); });
  report.total.name = "all";
  for (ReportGroup& group : report.operators) summarise(group, report.rows);
  for (ReportGroup& group : report.families) summarise(group, report.rows);
  summarise(report.total, report.rows);
}

std::string names_of_candidates(const BenchResult& result) {
  std::vector<std::string> seen;
  std::string names;
  for (const BenchRow& row : result.rows) {
    if (std::find(seen.begin(), seen.end(), row.candidate) != seen.end()) continue;
    seen.push_back(row.candidate);
    names += (names.empty() ? "" : ", ") + row.candidate;
  }
  return names;
}

}  // namespace

std::optional<double> ReportRow::of_copy() const {
  if (!t_ns || !row->copy_ns) return std::nullopt;
  return *row->copy_ns / *t_ns;
}

std::optional<double> ReportRow::ratio() const {
  if (!rival || !t_ns) return std::nullopt;
  return rival->t_ns / *t_ns;
}

BenchReport make_bench_report(const BenchResult& result, const Catalogue& catalogue,
                              const HardwareProfile& hardware) {
  std::map<ShapeName, ShapeRows> shapes;
  std::vector<double> floors;
  for (const BenchRow& row : result.rows) {
    shapes[{row.operator_name, row.shape_id}].take(row);
    if (row.launch_floor_ns) floors.push_back(*row.launch_floor_ns);
  }
  BenchReport report;
  report.launch_floor_ns = median_if_any(std::move(floors));
  report.result = &result;
  report.candidates = names_of_candidates(result);
  const HardwareProfile* const machines[] = {&hardware};
  if (const Result<Roofline> all = make_roofline(catalogue, machines, {}, {}); all) {
    report.candidate_roofline = only_those_of(*all, shapes);
  }
  std::map<const Shape*, std::size_t> places;
  const std::vector<RooflineRow>& bounded = report.candidate_roofline.rows;
  for (std::size_t i = 0; i < bounded.size(); ++i) places[bounded[i].shape] = i;

  const auto add = [&](const ShapeRows& rows, const Operator* op, const Shape* shape) {
    ReportRow entry;
    entry.op = op;
    entry.shape = shape;
    if (const auto place = places.find(shape); place != places.end()) entry.place = place->second;
    add_times(entry, rows, report);
    report.has_rivals = report.has_rivals || entry.rival.has_value();
    report.has_copies = report.has_copies || entry.row->copy_ns.has_value();
    report.rows.push_back(std::move(entry));
  };
  for (const Operator& op : catalogue.operators) {
    for (const Shape& shape : op.shapes) {
      const auto found = shapes.find({op.name, shape.id});
      if (found == shapes.end()) continue;
      add(found->second, &op, &shape);
      shapes.erase(found);
    }
  }
  for (const auto& [name, rows] : shapes) add(rows, nullptr, nullptr);

  report.rival_roofline = report.candidate_roofline;
  for (const ReportRow& entry : report.rows) {
    set_time(report.candidate_roofline, entry, entry.t_ns, entry.s);
    set_time(report.rival_roofline, entry,
             entry.rival ? std::optional(entry.rival->t_ns) : std::nullopt, entry.rival_s);
  }
  add_groups(report);
  return report;
}

HardwareProfile hardware_of_result(const BenchResult& result) {
  if (const Result<const HardwareProfile*> known = find_hardware(result.machine.profile); known) {
    return **known;
  }
  HardwareProfile measured;
  measured.name = result.machine.profile;
  measured.memory_bandwidth.value = result.machine.memory_bandwidth;
  return measured;
}

}  // namespace tactus

#include <algorithm>
#include <cmath>

#include "base/arithmetic.h"
#include "drill/drill.h"
#include "run/args/value.h"

namespace tactus::drill {
namespace {

/// Where a recording does not say when an injector was started: how long one takes to begin.
constexpr std::int64_t kToBegin = 100'000'000;         // [ns]
constexpr std::int64_t kToBeginOnGpu = 1'500'000'000;  // a context on a GPU

std::string_view text_of(const Run& run, std::int64_t id) {
  return run.strings[StringId(static_cast<std::uint64_t>(id))];
}

/// The notes of a drill, one for each injection that it did, or that was refused.
constexpr const char* kDrilled = "drill";

/// Events of one table, by category, and their arguments.
class Events {
 public:
  Events(const Run& run, const EventTable& events) : run_(run), events_(events) {}

  std::vector<std::size_t> rows_of(std::string_view category) const {
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < events_.size(); ++row) {
      const auto number = static_cast<std::size_t>(events_.category()[row]);
      if (number < run_.categories.size() &&
          run_.strings[run_.categories[number].name] == category) {
        rows.push_back(row);
      }
    }
    return rows;
  }

  std::optional<double> number(std::size_t row, const char* key) const {
    const std::optional<Value> value = run_.arg(events_, row, key);
    if (!value || value->type != ValueType::kDecimal) return std::nullopt;
    const double number = Decimal::to_double(value->raw, run_.strings);
    return std::isfinite(number) ? std::optional(number) : std::nullopt;
  }
  std::optional<std::int64_t> integer(std::size_t row, const char* key) const {
    const std::optional<Value> value = run_.arg(events_, row, key);
    if (!value || value->type != ValueType::kInt) return std::nullopt;
    return value->raw;
  }
  std::string text(std::size_t row, const char* key) const {
    const std::optional<Value> value = run_.arg(events_, row, key);
    if (!value || value->type != ValueType::kText) return {};
    return std::string(text_of(run_, value->raw));
  }

 private:
  const Run& run_;
  const EventTable& events_;
};

/// As a drill noted it: everything that its table needs.
std::vector<Injected> noted_in(const Run& run) {
  std::vector<Injected> found;
  const Events notes(run, run.instants);
  for (const std::size_t row : notes.rows_of(kDrilled)) {
    Injected& one = found.emplace_back();
    one.scenario = text_of(run, run.instants.name()[row]);
    one.intensity = notes.number(row, "intensity").value_or(NAN);
    one.shape = notes.text(row, "shape");
    one.refused = notes.text(row, "refused");
    one.problem = notes.text(row, "problem");
    one.asked_ns = run.instants.start()[row];
    one.begin_ns = notes.integer(row, "begin_ns").value_or(0);
    one.end_ns = notes.integer(row, "end_ns").value_or(0);
    one.rest_s = notes.number(row, "rest");
    one.cores = notes.number(row, "cores");
    one.bytes_per_s = notes.number(row, "bytes_per_s");
  }
  return found;
}

/// As recorders write it: of a drill of an older version, or of injections beside a recording.
std::vector<Injected> recorded_in(const Run& run) {
  std::vector<Injected> found;
  const Events slices(run, run.slices);
  for (const std::size_t row : slices.rows_of("injection")) {
    Injected& one = found.emplace_back();
    one.scenario = text_of(run, run.slices.name()[row]);
    one.intensity = slices.number(row, "intensity").value_or(NAN);
    one.shape = slices.text(row, "shape");
    one.begin_ns = run.slices.start()[row];
    one.end_ns = wrapping_add(one.begin_ns, run.slices.dur()[row]);
    const bool is_gpu =
        one.scenario.starts_with("gpu-") || one.scenario == "pcie" || one.scenario == "nvlink";
    const std::optional<double> before_s = slices.number(row, "before");
    one.asked_ns = wrapping_subtract(one.begin_ns, before_s ? whole_number(*before_s * 1e9)
                                                            : (is_gpu ? kToBeginOnGpu : kToBegin));
  }
  return found;
}

}  // namespace

record::Note note_of(const Injected& injected, std::int64_t origin_ns) {
  record::Note note{.category = kDrilled,
                    .name = injected.scenario,
                    .time_ns = injected.asked_ns + origin_ns,
                    .args = {{"intensity", injected.intensity}, {"shape", injected.shape}}};
  if (injected.rest_s) note.args.emplace_back("rest", *injected.rest_s);
  if (!injected.refused.empty()) {
    note.args.emplace_back("refused", injected.refused);
    return note;
  }
  note.args.emplace_back("begin_ns", injected.begin_ns);
  note.args.emplace_back("end_ns", injected.end_ns);
  if (injected.cores) note.args.emplace_back("cores", *injected.cores);
  if (injected.bytes_per_s) note.args.emplace_back("bytes_per_s", *injected.bytes_per_s);
  if (!injected.problem.empty()) note.args.emplace_back("problem", injected.problem);
  return note;
}

std::vector<Injected> injected_in(const Run& run) {
  std::vector<Injected> found = noted_in(run);
  if (found.empty()) found = recorded_in(run);
  std::stable_sort(found.begin(), found.end(),
                   [](const Injected& a, const Injected& b) { return a.asked_ns < b.asked_ns; });
  return found;
}

}  // namespace tactus::drill

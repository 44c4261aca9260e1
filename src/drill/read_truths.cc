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

double number_arg(const Run& run, std::size_t row, const char* key) {
  const std::optional<Value> value = run.arg(run.slices, row, key);
  const bool is_number = value && value->type == ValueType::kDecimal;
  return is_number ? Decimal::to_double(value->raw, run.strings) : NAN;
}

}  // namespace

std::vector<Injected> injected_in(const Run& run) {
  std::vector<Injected> found;
  for (std::size_t row = 0; row < run.slices.size(); ++row) {
    const auto category = static_cast<std::size_t>(run.slices.category()[row]);
    if (category >= run.categories.size() ||
        run.strings[run.categories[category].name] != "injection") {
      continue;
    }
    Injected one;
    one.scenario = text_of(run, run.slices.name()[row]);
    one.intensity = number_arg(run, row, "intensity");
    if (const std::optional<Value> shape = run.arg(run.slices, row, "shape");
        shape && shape->type == ValueType::kText) {
      one.shape = text_of(run, shape->raw);
    }
    one.begin_ns = run.slices.start()[row];
    one.end_ns = wrapping_add(one.begin_ns, run.slices.dur()[row]);
    const double before_s = number_arg(run, row, "before");
    const bool is_gpu =
        one.scenario.starts_with("gpu-") || one.scenario == "pcie" || one.scenario == "nvlink";
    one.asked_ns = wrapping_subtract(one.begin_ns, std::isfinite(before_s)
                                                       ? whole_number(before_s * 1e9)
                                                       : (is_gpu ? kToBeginOnGpu : kToBegin));
    found.push_back(std::move(one));
  }
  std::sort(found.begin(), found.end(),
            [](const Injected& a, const Injected& b) { return a.begin_ns < b.begin_ns; });
  return found;
}

}  // namespace tactus::drill

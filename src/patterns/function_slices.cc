#include "patterns/function_slices.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "run/event_view.h"

namespace tactus {
namespace {

/// Types by category and name, each found once.
class TypesOfNames {
 public:
  explicit TypesOfNames(const Run& run) : run_(run), known_(run.categories.size()) {
    for (const Category& category : run.categories) {
      matters_.push_back(function_type_matters(category.kind));
    }
  }

  FunctionType of(std::uint32_t category, StringId name) {
    if (category >= matters_.size() || !matters_[category]) return FunctionType::kNone;
    std::vector<std::uint8_t>& known = known_[category];
    if (known.empty()) known.resize(run_.strings.size(), kNotYet);
    if (name.value >= known.size()) return FunctionType::kNone;
    std::uint8_t& type = known[name.value];
    if (type == kNotYet) {
      const Category& facts = run_.categories[category];
      type = static_cast<std::uint8_t>(
          function_type_of(facts.kind, run_.strings[facts.name], run_.strings[name]));
    }
    return static_cast<FunctionType>(type);
  }

 private:
  static constexpr std::uint8_t kNotYet = 255;

  /// Ops, frames and ranges are most of a trace, but are never functions here.
  static bool function_type_matters(SliceKind kind) {
    switch (kind) {
      case SliceKind::kKernel:
      case SliceKind::kGraph:
      case SliceKind::kMemcpy:
      case SliceKind::kMemset:
      case SliceKind::kRuntime:
      case SliceKind::kDriver:
      case SliceKind::kOsRuntime:
      case SliceKind::kOther: return true;
      default: return false;
    }
  }

  const Run& run_;
  std::vector<bool> matters_;                     ///< by category
  std::vector<std::vector<std::uint8_t>> known_;  ///< by category and name
};

/// Numbers the functions as they come.
class FunctionNumbers {
 public:
  FunctionNumbers(const Run& run, std::vector<CycleFunction>& functions)
      : run_(run), functions_(functions) {}

  std::uint32_t of(const CycleFunction& function) {
    const std::uint32_t name = function.name.valid() ? function.name.value : 0;
    std::uint32_t& number = lane_of(function).number_of(name);
    if (number == 0) {
      functions_.push_back(function);
      number = static_cast<std::uint32_t>(functions_.size());
    }
    return number - 1;
  }

 private:
  using Place = std::pair<std::uint32_t, DeviceId>;

  /// By name: one past the function's number. A list of all names is fast, but not for very many
  /// places.
  struct Lane {
    std::vector<std::uint32_t> all;
    std::unordered_map<std::uint32_t, std::uint32_t> some;

    std::uint32_t& number_of(std::uint32_t name) { return all.empty() ? some[name] : all[name]; }
  };
  static constexpr std::size_t kMostNumbers = 1 << 24;  // in lists of all names

  /// Neighbouring slices mostly have the same place.
  Lane& lane_of(const CycleFunction& function) {
    const Place place(function.process, function.device);
    if (last_ == nullptr || place != last_place_) {
      last_place_ = place;
      const auto [at, is_new] = lanes_.try_emplace(place);
      last_ = &at->second;
      if (is_new && lanes_.size() * run_.strings.size() <= kMostNumbers) {
        last_->all.resize(run_.strings.size(), 0);
      }
    }
    return *last_;
  }

  const Run& run_;
  std::vector<CycleFunction>& functions_;
  std::map<Place, Lane> lanes_;
  Place last_place_;
  Lane* last_ = nullptr;
};

}  // namespace

FunctionSlices function_slices(const Run& run, const Cycles& cycles) {
  FunctionSlices found;
  TypesOfNames types(run);
  FunctionNumbers numbers(run, found.functions);
  const std::size_t rows = cycles.cycle_of_slice.size();
  for_each_event(run, run.slices, [&](const EventView& event) {
    if (event.row >= rows || event.dur_ns <= 0 || event.track >= run.tracks.size()) return;
    if (run.is_captured(event.category)) return;
    const std::int32_t cycle = cycles.cycle_of_slice[event.row];
    if (cycle < 0 || static_cast<std::size_t>(cycle) >= cycles.cycles.size()) return;
    const FunctionType type = types.of(event.category, event.name);
    if (type == FunctionType::kNone) return;
    const Track& track = run.tracks[event.track];
    CycleFunction function{.name = event.name, .type = type};
    if (is_device_work(type)) {
      function.process = cycles.cycles[static_cast<std::size_t>(cycle)].process;
      function.device = track.device;
    } else {
      function.process = run.threads[track.thread.value].process.value;
    }
    if (type == FunctionType::kOnCpu) function.name = StringId();
    found.slices.push_back({.cycle = static_cast<std::uint32_t>(cycle),
                            .function = numbers.of(function),
                            .start_ns = event.start_ns,
                            .dur_ns = event.dur_ns});
  });
  std::sort(found.slices.begin(), found.slices.end(),
            [](const FunctionSlice& a, const FunctionSlice& b) {
              return std::tie(a.cycle, a.function, a.start_ns, a.dur_ns) <
                     std::tie(b.cycle, b.function, b.start_ns, b.dur_ns);
            });
  return found;
}

}  // namespace tactus

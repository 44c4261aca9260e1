#include "sources/content.h"

#include <algorithm>
#include <array>

#include "base/arithmetic.h"
#include "base/hash.h"
#include "run/event_view.h"

namespace tactus {
namespace {

template <std::size_t N>
std::uint64_t hash_numbers(const std::array<std::uint64_t, N>& numbers) {
  return XXH3_64bits(numbers.data(), sizeof numbers);
}

/// A sum, so that the order of events does not matter.
struct Content {
  std::uint64_t of_devices = 0;
  std::uint64_t of_all = 0;

  std::uint64_t value() const { return of_devices != 0 ? of_devices : of_all; }
};

std::uint64_t hash_text(const Run& run, std::int64_t text) {
  const auto id = static_cast<std::uint64_t>(text);
  return id < run.strings.size() ? hash_bytes(run.strings[StringId(id)]) : 0;
}

std::uint64_t content_of_patterns(const Run& run) {
  using P = Patterns;
  std::uint64_t sum = 0;
  for (std::size_t row = 0; row < run.patterns.rows; ++row) {
    const auto number = [&](P::ColumnIndex column) {
      return static_cast<std::uint64_t>(run.patterns.column(column)[row]);
    };
    const auto text = [&](P::ColumnIndex column) {
      return hash_text(run, run.patterns.column(column)[row]);
    };
    sum += hash_numbers(std::array{
        number(P::kCycle), number(P::kPid), text(P::kHost), text(P::kFunction), text(P::kMetric),
        text(P::kDevice), number(P::kBetaPct), number(P::kDurationUs), number(P::kCycleStartUs)});
  }
  return sum;
}

}  // namespace

std::vector<std::uint64_t> contents_of_slices(const Run& run, std::span<const std::size_t> begins) {
  std::vector<Content> contents(begins.size());
  std::vector<std::uint64_t> names(run.strings.size(), 0);  // 0: not hashed yet
  std::size_t which = 0;
  const EventTable& slices = run.slices;
  for_each_slice(
      run, Captures::kLeaveOut, [](SliceKind) { return true; },
      std::array{&slices.name(), &slices.start(), &slices.dur()},
      [&](std::size_t row, SliceKind kind, const auto& values) {
        while (which + 1 < begins.size() && row >= begins[which + 1]) ++which;
        const auto name = static_cast<std::size_t>(values[0]);
        if (begins.empty() || row < begins[which] || name >= names.size()) return;
        if (names[name] == 0) names[name] = hash_text(run, values[0]);
        const std::int64_t start = wrapping_add(run.origin_ns, values[1]);
        const std::uint64_t hash = hash_numbers(std::array{
            names[name], static_cast<std::uint64_t>(start), static_cast<std::uint64_t>(values[2])});
        contents[which].of_all += hash;
        if (is_device_work(kind)) contents[which].of_devices += hash;
      });
  std::vector<std::uint64_t> numbers;
  for (const Content& content : contents) numbers.push_back(content.value());
  return numbers;
}

std::uint64_t content_of(const Run& run) {
  if (run.slices.empty()) return content_of_patterns(run);
  return contents_of_slices(run, std::array{std::size_t{0}}).front();
}

}  // namespace tactus

#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "run/run.h"

namespace tactus {

/// One event with everything that belongs to it, as for_each_event shows it.
struct EventView {
  std::size_t row = 0;
  std::int64_t start_ns = 0;
  std::int64_t dur_ns = 0;
  StringId name;
  std::uint32_t track = 0;
  std::uint32_t category = 0;
  std::uint32_t flags = 0;
  std::uint32_t shape = 0;
  std::size_t arg_row = 0;  ///< in the argument table of the shape
};

/// The value of a field of an event's shape.
inline Value field_value(const Run& run, const EventTable& events, const EventView& event,
                         std::size_t field) {
  return {run.shapes[event.shape][field].type,
          events.args()[event.shape].columns[field].get()[event.arg_row]};
}

/// Calls f(const EventView&) for all events in row order. Wrong references in a damaged file are
/// replaced by 0, so f may use them without a check (if there is a track at all).
template <class F>
void for_each_event(const Run& run, const EventTable& events, F&& f) {
  constexpr std::size_t kRows = Column::kBlockRows;
  std::array<std::array<std::int64_t, kRows>, EventTable::kColumns> block;
  const std::array<const Column*, EventTable::kColumns> columns = {
      &events.start(),    &events.dur(),   &events.name(), &events.track(),
      &events.category(), &events.shape(), &events.flags()};
  std::vector<std::size_t> next_arg(run.shapes.size(), 0);
  const auto below = [](std::int64_t index, std::size_t size) {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(index) < size ? index : 0);
  };
  for (std::size_t first = 0; first < events.size(); first += kRows) {
    const std::size_t count = std::min(kRows, events.size() - first);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      columns[c]->read(first, std::span(block[c]).first(count));
    }
    for (std::size_t i = 0; i < count; ++i) {
      EventView event;
      event.row = first + i;
      event.start_ns = block[EventTable::kStart][i];
      event.dur_ns = block[EventTable::kDur][i];
      event.name = StringId(static_cast<std::uint64_t>(block[EventTable::kName][i]));
      event.track = below(block[EventTable::kTrack][i], run.tracks.size());
      event.category = below(block[EventTable::kCategory][i], run.categories.size());
      event.flags = static_cast<std::uint32_t>(block[EventTable::kFlags][i]);
      event.shape = below(block[EventTable::kShape][i], run.shapes.size());
      if (event.shape != 0) {
        event.arg_row = next_arg[event.shape]++;
        if (event.arg_row >= events.args()[event.shape].rows) event.shape = 0;
      }
      f(static_cast<const EventView&>(event));
    }
  }
}

}  // namespace tactus

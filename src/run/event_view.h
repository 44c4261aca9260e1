#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
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

enum class Captures : std::uint8_t { kLeaveOut, kInclude };

/// Calls f(row, kind, values) for the slices whose kind is `wanted(kind)`, in row order. The values
/// are those of `columns`, which may hold null for what is not needed: a column of a run in a file
/// is read when it is looked at.
template <class Wanted, std::size_t N, class F>
void for_each_slice(const Run& run, Captures captures, Wanted&& wanted,
                    const std::array<const Column*, N>& columns, F&& f) {
  std::vector<std::uint8_t> is_wanted;
  for (const Category& category : run.categories) {
    const bool is_left_out = category.is_captured && captures == Captures::kLeaveOut;
    is_wanted.push_back(!is_left_out && wanted(category.kind));
  }
  if (std::find(is_wanted.begin(), is_wanted.end(), true) == is_wanted.end()) return;
  std::array<std::array<std::int64_t, Column::kBlockRows>, N> block;
  std::array<std::int64_t, N> values{};
  run.slices.category().for_each_piece(
      0, run.slices.size(), [&](std::size_t first, std::span<const std::int64_t> categories) {
        bool has_read = false;
        for (std::size_t i = 0; i < categories.size(); ++i) {
          const auto category = static_cast<std::size_t>(categories[i]);
          if (category >= is_wanted.size() || !is_wanted[category]) continue;
          for (std::size_t c = 0; !has_read && c < N; ++c) {
            if (!columns[c]) continue;
            columns[c]->read(first, std::span(block[c]).first(categories.size()));
          }
          has_read = true;
          for (std::size_t c = 0; c < N; ++c) values[c] = columns[c] ? block[c][i] : 0;
          f(first + i, run.categories[category].kind, std::as_const(values));
        }
      });
}

/// Calls f(call, work) for every launch link: rows of run.slices, ascending by the work.
template <class F>
void for_each_launch(const Run& run, F&& f) {
  std::array<std::int64_t, Column::kBlockRows> from, to;
  run.links.kind().for_each_piece(
      0, run.links.rows, [&](std::size_t first, std::span<const std::int64_t> kinds) {
        run.links.from().read(first, std::span(from).first(kinds.size()));
        run.links.to().read(first, std::span(to).first(kinds.size()));
        for (std::size_t i = 0; i < kinds.size(); ++i) {
          if (kinds[i] != static_cast<std::int64_t>(LinkKind::kLaunch)) continue;
          const auto call = static_cast<std::uint64_t>(from[i]);
          const auto work = static_cast<std::uint64_t>(to[i]);
          if (call >= run.slices.size() || work >= run.slices.size()) continue;  // a damaged file
          f(static_cast<std::uint32_t>(call), static_cast<std::uint32_t>(work));
        }
      });
}

}  // namespace tactus

#include <algorithm>

#include "names/python_frame.h"
#include "run/event_view.h"
#include "sql/tables/column_makers.h"
#include "sql/tables/tables.h"

namespace tactus::sql {
namespace {

constexpr std::size_t kDeepestStack = 4096;  // a damaged file may have a loop

struct StackRows {
  Column slices, depths, frames;

  void add(std::int64_t slice, std::int64_t depth, std::int64_t frame) {
    slices.append(slice);
    depths.append(depth);
    frames.append(frame);
  }
};

/// By row of run.slices: the Python frame that called a Python frame, -1 for none.
std::vector<std::int32_t> calling_frames(const Run& run) {
  std::vector<std::int32_t> callers(run.slices.size(), -1);
  for (std::size_t i = 0; i < run.links.rows; ++i) {
    if (run.links.kind()[i] != static_cast<std::int64_t>(LinkKind::kPythonParent)) continue;
    const auto from = static_cast<std::uint64_t>(run.links.from()[i]);
    const auto to = static_cast<std::uint64_t>(run.links.to()[i]);
    if (from < callers.size() && to < callers.size()) {
      callers[to] = static_cast<std::int32_t>(from);
    }
  }
  return callers;
}

/// The stacks that a recorder wrote to events, by the slice that has one: argument of kStack.
std::vector<std::pair<std::uint32_t, std::int64_t>> recorded_stacks(const Run& run) {
  std::vector<std::pair<std::uint32_t, std::int64_t>> found;
  std::vector<int> field_of_shape(run.shapes.size(), -1);
  bool has_any = false;
  for (std::size_t shape = 0; shape < run.shapes.size(); ++shape) {
    for (std::size_t i = 0; i < run.shapes[shape].size(); ++i) {
      if (run.shapes[shape][i].type != ValueType::kStack) continue;
      field_of_shape[shape] = static_cast<int>(i);
      has_any = true;
    }
  }
  if (!has_any) return found;
  for_each_event(run, run.slices, [&](const EventView& event) {
    const int field = field_of_shape[event.shape];
    if (field < 0 || run.is_captured(event.category)) return;
    found.emplace_back(static_cast<std::uint32_t>(event.row),
                       field_value(run, run.slices, event, static_cast<std::size_t>(field)).raw);
  });
  return found;
}

StackRows find_stacks(Derived& derived) {
  const Run& run = derived.run();
  StackRows rows;
  const std::vector<bool> wanted = wanted_tracks(run, derived.filter());
  const auto is_taken = [&](std::size_t slice) {
    const auto track = static_cast<std::size_t>(run.slices.track()[slice]);
    return (track >= wanted.size() || wanted[track]) &&
           derived.filter().takes(run.slices.start()[slice]) && derived.wanted().has_slice(slice);
  };
  const std::vector<std::pair<std::uint32_t, std::int64_t>> recorded = recorded_stacks(run);
  const std::vector<std::int32_t> callers = calling_frames(run);
  const Column& launching = derived.python_frame();
  std::size_t next = 0;
  for (std::size_t slice = 0; slice < run.slices.size(); ++slice) {
    std::int64_t stack = -1;
    if (next < recorded.size() && recorded[next].first == slice) stack = recorded[next++].second;
    std::int64_t frame = launching[slice];
    if ((stack < 0 && frame < 0) || !is_taken(slice)) continue;
    std::size_t depth = 0;
    for (; stack >= 0 && depth < kDeepestStack; ++depth) {
      const auto at = static_cast<std::size_t>(stack);
      if (at >= run.stacks.rows) break;
      rows.add(static_cast<std::int64_t>(slice), static_cast<std::int64_t>(depth),
               run.stacks.frame()[at]);
      stack = run.stacks.parent()[at];
    }
    for (; frame >= 0 && depth < kDeepestStack; ++depth) {
      const auto at = static_cast<std::size_t>(frame);
      rows.add(static_cast<std::int64_t>(slice), static_cast<std::int64_t>(depth),
               run.slices.name()[at]);
      frame = callers[at];
    }
  }
  for (Column* column : {&rows.slices, &rows.depths, &rows.frames}) column->shrink();
  return rows;
}

}  // namespace

Relation stacks_relation(Derived& derived) {
  const Run& run = derived.run();
  const auto rows = std::make_shared<std::optional<StackRows>>();
  const auto none = std::make_shared<StackRows>();
  const auto get = [rows, none, &derived]() -> const StackRows& {
    if (!*rows) {
      StackRows found = find_stacks(derived);
      if (derived.is_stopped()) return *none;
      *rows = std::move(found);
    }
    return **rows;
  };
  const Codes frames = [get]() -> const Column& { return get().frames; };
  const auto part = [&](std::string name, std::string_view type,
                        std::function<Cell(const PythonFrame&)> cell, std::string_view about) {
    return looked_up(
        std::move(name), type, frames,
        [&run, cell = std::move(cell)](std::int64_t code) {
          return cell(read_python_frame(run.strings[StringId(static_cast<std::uint64_t>(code))]));
        },
        about);
  };
  Relation relation;
  relation.name = "stacks";
  relation.about = "the call stack of each kernel, copy or sample that has one, a row per frame";
  relation.rows = [get] { return get().slices.size(); };
  relation.columns = {
      number(
          "slice_id", [get]() -> const Column& { return get().slices; },
          "whose stack it is: slices.id"),
      number(
          "depth", [get]() -> const Column& { return get().depths; }, "0 for the innermost frame"),
      text_of_run("frame", run, frames, "as the source wrote it"),
      part(
          "file", "TEXT", [](const PythonFrame& frame) { return Cell::words_or_null(frame.file); },
          "the Python file"),
      part(
          "line", "INTEGER", [](const PythonFrame& frame) { return Cell::number(frame.line); },
          "the line in it"),
      part(
          "function", "TEXT",
          [](const PythonFrame& frame) { return Cell::words_or_null(frame.function); },
          "the function"),
  };
  relation.sorted_column = 0;
  return relation;
}

}  // namespace tactus::sql

#include "support/run_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "run/args/arg_json.h"
#include "run/event_view.h"
#include "support/files.h"

namespace tactus::testing {
namespace {

std::string text_of(const Run& run, std::int64_t id) {
  return std::string(run.strings[StringId(static_cast<std::uint64_t>(id))]);
}

std::string ident_text(const Run& run, const Ident& ident) {
  return ident.is_text ? "'" + text_of(run, ident.value) + "'" : std::to_string(ident.value);
}

std::string number_text(const std::optional<std::int64_t>& number) {
  return number ? std::to_string(*number) : "-";
}

std::string track_text(const Run& run, std::size_t index) {
  const Track& track = run.tracks[index];
  const Thread& thread = run.threads[track.thread.value];
  const Process& process = run.processes[thread.process.value];
  return fmt::format("{}/{}{} device {} stream {}", ident_text(run, process.pid),
                     ident_text(run, thread.tid), track.on_device ? " on device" : "",
                     number_text(track.device_index), number_text(track.stream));
}

/// "inner < outer < outermost"
std::string stack_text(const Run& run, std::int64_t stack) {
  std::string text;
  for (int depth = 0; stack >= 0 && depth < 1000; ++depth) {
    const auto row = static_cast<std::size_t>(stack);
    text += (text.empty() ? "" : " < ") + text_of(run, run.stacks.frame()[row]);
    stack = run.stacks.parent()[row];
  }
  return text;
}

std::string event_text(const Run& run, const EventTable& events, const EventView& event) {
  std::string text =
      fmt::format("{} +{} [{}] {} on {} flags {}", event.start_ns, event.dur_ns,
                  text_of(run, run.categories[event.category].name.value), run.strings[event.name],
                  track_text(run, event.track), event.flags);
  const ArgShape& shape = run.shapes[event.shape];
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const Value value = field_value(run, events, event, i);
    text += fmt::format(" {}:{}=", run.strings[shape[i].key], static_cast<int>(shape[i].type));
    if (value.type == ValueType::kStack) {
      text += stack_text(run, value.raw);
    } else {
      append_json_value(text, run.strings, value);
    }
  }
  return text;
}

void add_events(const Run& run, const EventTable& events, const std::string& what,
                std::vector<std::string>& lines) {
  for_each_event(run, events, [&](const EventView& event) {
    lines.push_back(what + " " + event_text(run, events, event));
  });
}

void add_facts(const Run& run, std::vector<std::string>& lines) {
  lines.push_back("origin " + std::to_string(run.origin_ns));
  for (const Device& device : run.devices) {
    lines.push_back(fmt::format("device {} {}", device.index, run.strings[device.name]));
  }
  std::vector<std::string> named;
  for (const Process& process : run.processes) {
    named.push_back(fmt::format("process {} os {} host {} name {} labels {} sort {}",
                                ident_text(run, process.pid), number_text(process.os_pid),
                                run.strings[process.host_name], run.strings[process.name],
                                run.strings[process.labels], number_text(process.sort_index)));
  }
  for (const Thread& thread : run.threads) {
    named.push_back(fmt::format(
        "thread {}/{} name {} sort {}", ident_text(run, run.processes[thread.process.value].pid),
        ident_text(run, thread.tid), run.strings[thread.name], number_text(thread.sort_index)));
  }
  std::sort(named.begin(), named.end());
  lines.insert(lines.end(), named.begin(), named.end());
  for (const Source& source : run.sources) {
    for (const Metadata& entry : source.metadata) {
      lines.push_back(
          fmt::format("metadata {} {}", run.strings[entry.key], run.strings[entry.json]));
    }
  }
}

}  // namespace

std::vector<std::string> run_lines(const Run& run) {
  std::vector<std::string> lines;
  add_facts(run, lines);
  add_events(run, run.slices, "slice", lines);
  add_events(run, run.instants, "instant", lines);
  add_events(run, run.flows, "flow", lines);
  for (std::size_t row = 0; row < run.counters.rows; ++row) {
    const CounterSeries& series = run.series[static_cast<std::size_t>(run.counters.series()[row])];
    lines.push_back(fmt::format(
        "counter {} {} {} {} [{}] {} of {} = {}", run.counters.time()[row],
        run.strings[series.name], run.strings[series.field], run.strings[series.place],
        run.strings[series.category], run.strings[series.unit],
        series.process.valid() ? ident_text(run, run.processes[series.process.value].pid) : "none",
        Decimal::to_text(run.counters.value()[row], run.strings)));
  }
  for (std::size_t row = 0; row < run.links.rows; ++row) {
    lines.push_back(fmt::format("link {} {} -> {}", run.links.kind()[row], run.links.from()[row],
                                run.links.to()[row]));
  }
  return lines;
}

Run import_json(std::string_view json, const kineto::ReadOptions& options) {
  const TemporaryFolder folder;
  Result<std::unique_ptr<InputBytes>> bytes = InputBytes::open(folder.write("trace.json", json));
  EXPECT_TRUE(bytes);
  RunBuilder builder;
  NoProgress progress;
  const Status status = kineto::import(**bytes, options, builder, progress);
  EXPECT_TRUE(status) << (status ? "" : status.error().message);
  return builder.finish();
}

std::string import_error(std::string_view json) {
  const TemporaryFolder folder;
  Result<std::unique_ptr<InputBytes>> bytes = InputBytes::open(folder.write("trace.json", json));
  if (!bytes) return bytes.error().message;
  RunBuilder builder;
  NoProgress progress;
  const Status status = kineto::import(**bytes, {}, builder, progress);
  return status ? "" : status.error().message;
}

std::vector<std::string> slice_names(const Run& run) {
  std::vector<std::string> names;
  for_each_event(run, run.slices, [&](const EventView& event) {
    names.push_back(fmt::format("{} {}", run.strings[event.name], event.dur_ns));
  });
  return names;
}

}  // namespace tactus::testing

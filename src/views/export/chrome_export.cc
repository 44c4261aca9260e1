#include <fmt/format.h>

#include <array>
#include <charconv>
#include <iterator>
#include <map>

#include "base/arithmetic.h"
#include "run/args/arg_json.h"
#include "run/event_view.h"
#include "views/common/buffered_output.h"
#include "views/export/exported_events.h"
#include "views/export/exports.h"

namespace tactus {
namespace {

constexpr std::size_t kProgressRows = 1 << 16;

class ChromeWriter {
 public:
  ChromeWriter(const Run& run, const WantedSlices& wanted, OutputFile& file, Progress& progress)
      : run_(run), exported_(run, wanted), progress_(progress), out_(file) {
    base_ns_ = run.sources.empty() ? 0 : run.sources.front().base_ns;
    for (const Thread& thread : run.threads) threads_.push_back(thread_members(thread));
    for (const Track& track : run.tracks) tracks_.push_back(threads_[track.thread.value]);
    for (const Category& category : run.categories) {
      categories_.push_back(json_text(run.strings[category.name]));
    }
  }

  Status write() {
    write_head();
    write_slices();
    write_points(run_.instants, "i");
    write_points(run_.flows, "s");
    write_counters();
    write_names();
    text() += "\n]}\n";
    return out_.finish();
  }

 private:
  std::string& text() { return out_.text(); }

  static std::string json_text(std::string_view plain) {
    std::string out;
    append_json_string(out, plain);
    return out;
  }

  std::string ident_json(const Ident& ident, std::uint32_t source) const {
    std::string plain;
    if (ident.is_text) {
      plain = run_.strings[StringId(static_cast<std::uint64_t>(ident.value))];
      return json_text(source == 0 ? plain : fmt::format("rank{} {}", source, plain));
    }
    if (source == 0) return std::to_string(ident.value);
    return json_text(fmt::format("rank{}({})", source, ident.value));
  }

  std::string pid_json(ProcessId id) const {
    const Process& process = run_.processes[id.value];
    return ident_json(process.pid, process.source.value);
  }

  /// "pid": 395, "tid": 395
  std::string thread_members(const Thread& thread) const {
    return fmt::format(R"("pid":{},"tid":{})", pid_json(thread.process), ident_json(thread.tid, 0));
  }

  /// Microseconds, as in ,"ts":12.345
  void add_time(std::string_view key, std::int64_t ns) {
    const bool negative = ns < 0;
    const std::uint64_t size =
        negative ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
    std::array<char, 24> number;
    char* end = std::to_chars(number.begin(), number.end(), size / 1000).ptr;
    const auto digit = [&](std::uint64_t unit) {
      return static_cast<char>('0' + size / unit % 10);
    };
    for (const char c : {'.', digit(100), digit(10), digit(1)}) *end++ = c;
    text().append(",\"").append(key).append(negative ? "\":-" : "\":");
    text().append(number.data(), static_cast<std::size_t>(end - number.data()));
  }

  std::int64_t source_time(std::int64_t ns) const {
    return wrapping_add(ns, wrapping_subtract(run_.origin_ns, base_ns_));
  }

  void begin_event() {
    out_.flush_if_full();
    text() += first_event_ ? "\n" : ",\n";
    first_event_ = false;
  }

  void add_member(std::string_view key, const Value& value) {
    append_json_string(text(), key);
    text() += ':';
    append_json_value(text(), run_.strings, value);
  }

  /// Fields of the event itself (@x) and, after them, its arguments.
  void add_fields(const EventTable& events, const EventView& event) {
    const ArgShape& shape = run_.shapes[event.shape];
    bool has_args = false;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const std::string_view key = run_.strings[shape[i].key];
      const bool is_field = key.starts_with('@') && !key.starts_with("@@");
      has_args |= !is_field;
      if (!is_field || key == "@ph") continue;
      text() += ',';
      add_member(key.substr(1), field_value(run_, events, event, i));
    }
    if (!has_args) return;
    std::string_view comma;
    text() += ",\"args\":{";
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const std::string_view key = run_.strings[shape[i].key];
      if (key.starts_with('@') && !key.starts_with("@@")) continue;
      text() += comma;
      comma = ",";
      add_member(key.starts_with('@') ? key.substr(1) : key, field_value(run_, events, event, i));
    }
    text() += '}';
  }

  void add_event(std::string_view phase, const EventTable& events, const EventView& event,
                 std::int64_t time_ns) {
    begin_event();
    text().append(R"({"ph":")").append(phase).append(R"(","cat":)").append(category_of(event));
    text() += ",\"name\":";
    append_json_string(text(), run_.strings[event.name]);
    text() += ',';
    text() += track_of(event);
    add_time("ts", source_time(time_ns));
    if (phase == "X") add_time("dur", event.dur_ns);
    add_fields(events, event);
    text() += '}';
  }

  std::string_view category_of(const EventView& event) const {
    if (event.category < categories_.size()) return categories_[event.category];
    return "\"\"";
  }
  std::string_view track_of(const EventView& event) const {
    if (event.track < tracks_.size()) return tracks_[event.track];
    return R"("pid":0,"tid":0)";
  }

  /// Kineto's arrow from launch to kernel, for slices that had one.
  void add_arrow(std::string_view phase, const EventView& event) {
    const std::optional<Value> correlation = run_.arg(run_.slices, event.row, "correlation");
    if (!correlation) return;
    begin_event();
    fmt::format_to(std::back_inserter(text()), R"({{"ph":"{}","id":{},{})", phase, correlation->raw,
                   tracks_[event.track]);
    add_time("ts", source_time(event.start_ns));
    text() += R"(,"cat":"ac2g","name":"ac2g")";
    text() += phase == "f" ? R"(,"bp":"e"})" : "}";
  }

  void write_head() {
    text() += "{\n";
    if (!run_.sources.empty()) {
      for (const Metadata& entry : run_.sources.front().metadata) {
        append_json_string(text(), run_.strings[entry.key]);
        text() += ':';
        text() += run_.strings[entry.json];
        text() += ",\n";
      }
    }
    text() += fmt::format("\"baseTimeNanoseconds\":{}", base_ns_);
    write_stack_frames();
    text() += ",\n\"traceEvents\":[";
  }

  void write_stack_frames() {
    if (run_.stacks.rows == 0) return;
    text() += ",\n\"stackFrames\":{";
    for (std::size_t row = 0; row < run_.stacks.rows; ++row) {
      out_.flush_if_full();
      text() += fmt::format(R"({}"{}":{{"name":)", row == 0 ? "" : ",", row);
      const auto frame = static_cast<std::uint64_t>(run_.stacks.frame()[row]);
      append_json_string(text(), run_.strings[StringId(frame)]);
      const std::int64_t parent = run_.stacks.parent()[row];
      if (parent >= 0) text() += fmt::format(",\"parent\":{}", parent);
      text() += '}';
    }
    text() += '}';
  }

  void write_slices() {
    for_each_event(run_, run_.slices, [&](const EventView& event) {
      if (!exported_.takes_slice(event)) return;
      if ((event.flags & kOpenBegin) != 0) {
        add_event("E", run_.slices, event, wrapping_add(event.start_ns, event.dur_ns));
      } else {
        add_event((event.flags & kOpenEnd) != 0 ? "B" : "X", run_.slices, event, event.start_ns);
      }
      if ((event.flags & kFlowOut) != 0) add_arrow("s", event);
      if ((event.flags & kFlowIn) != 0) add_arrow("f", event);
      if (event.row % kProgressRows == 0) {
        progress_.update("writing", event.row, run_.slices.size());
      }
    });
  }

  /// Instants and flow points: tables that may hold several phases.
  void write_points(const EventTable& events, std::string_view default_phase) {
    for_each_event(run_, events, [&](const EventView& event) {
      if (!exported_.takes_point(event)) return;
      std::string_view phase = default_phase;
      if (const std::optional<Value> own = run_.arg(events, event.row, "@ph")) {
        phase = run_.strings[StringId(static_cast<std::uint64_t>(own->raw))];
      }
      add_event(phase, events, event, event.start_ns);
    });
  }

  void write_counters() {
    for (std::size_t row = 0; row < run_.counters.rows; ++row) {
      const auto index = static_cast<std::size_t>(run_.counters.series()[row]);
      if (index >= run_.series.size() || !exported_.takes_sample(run_.counters.time()[row]))
        continue;
      const CounterSeries& series = run_.series[index];
      begin_event();
      text() += R"({"ph":"C","cat":)";
      append_json_string(text(), run_.strings[series.category]);
      text() += ",\"name\":";
      append_json_string(text(), run_.strings[series.name]);
      if (series.process.valid()) text() += ",\"pid\":" + pid_json(series.process);
      if (series.place.value != 0) {
        text() += ",\"tid\":";
        append_json_string(text(), run_.strings[series.place]);
      }
      if (series.unit.value != 0) {
        text() += ",\"unit\":";
        append_json_string(text(), run_.strings[series.unit]);
      }
      add_time("ts", source_time(run_.counters.time()[row]));
      text() += ",\"args\":{";
      const std::string_view field = run_.strings[series.field];
      add_member(field.empty() ? "value" : field,
                 {ValueType::kDecimal, run_.counters.value()[row]});
      text() += "}}";
    }
  }

  void add_name(std::string_view what, const std::string& where, std::string_view key,
                const std::string& json) {
    begin_event();
    text() +=
        fmt::format(R"({{"ph":"M","name":"{}",{},"args":{{"{}":{}}}}})", what, where, key, json);
  }

  void write_names() {
    for (std::size_t i = 0; i < run_.processes.size(); ++i) {
      if (!exported_.has(ProcessId(i))) continue;
      const Process& process = run_.processes[i];
      const std::string where = "\"pid\":" + pid_json(ProcessId(i)) + ",\"tid\":0";
      if (process.name.value != 0) {
        add_name("process_name", where, "name", json_text(run_.strings[process.name]));
      }
      if (process.labels.value != 0) {
        add_name("process_labels", where, "labels", json_text(run_.strings[process.labels]));
      }
      if (process.sort_index) {
        add_name("process_sort_index", where, "sort_index", std::to_string(*process.sort_index));
      }
    }
    for (std::size_t i = 0; i < run_.threads.size(); ++i) {
      const Thread& thread = run_.threads[i];
      if (!exported_.has(thread.process)) continue;
      if (thread.name.value != 0) {
        add_name("thread_name", threads_[i], "name", json_text(run_.strings[thread.name]));
      }
      if (thread.sort_index) {
        add_name("thread_sort_index", threads_[i], "sort_index",
                 std::to_string(*thread.sort_index));
      }
    }
  }

  const Run& run_;
  ExportedEvents exported_;
  Progress& progress_;
  BufferedOutput out_;
  std::int64_t base_ns_ = 0;
  bool first_event_ = true;
  std::vector<std::string> threads_;     ///< JSON members that name each thread
  std::vector<std::string> tracks_;      ///< the same by track
  std::vector<std::string> categories_;  ///< as JSON
};

}  // namespace

Status write_chrome(const Run& run, const WantedSlices& wanted, OutputFile& file,
                    Progress& progress) {
  return ChromeWriter(run, wanted, file, progress).write();
}

}  // namespace tactus

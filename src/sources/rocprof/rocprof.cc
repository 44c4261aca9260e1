#include "sources/rocprof/rocprof.h"

#include <string>

#include "base/json.h"
#include "sources/rocprof/json_reader.h"
#include "sources/rocprof/records.h"

namespace tactus::rocprof {
namespace {

constexpr std::string_view kRoot = "rocprofiler-sdk-tool";
constexpr std::uint64_t kRecordsPerProgress = 1 << 14;

class DocumentReader {
 public:
  DocumentReader(InputBytes& bytes, RunBuilder& builder, Progress& progress)
      : bytes_(bytes), builder_(builder), progress_(progress), json_(bytes) {}

  Status read() {
    std::string key;
    if (json_.enter_object()) {
      while (json_.next_member(key)) {
        if (key == kRoot && json_.enter_array()) {
          while (json_.next_element()) read_process();
        } else if (key == kRoot) {
          read_process();
        } else {
          json_.skip_value();
        }
      }
    }
    if (!json_.status()) return json_.status();
    if (processes_ == 0) {
      return input_error(bytes_.path() + ": has no events: " +
                         (json_.problem().empty() ? "it holds no process" : json_.problem()));
    }
    builder_.source().bytes = bytes_.disk_bytes();
    if (!bytes_.problem().empty()) builder_.warn(bytes_.problem());
    if (!json_.problem().empty()) {
      builder_.drop("truncated_input");
      builder_.warn(bytes_.path() + ": " + json_.problem() + "; everything before it was kept");
    } else if (bytes_.cut_short()) {
      builder_.drop("truncated_input");
    }
    return {};
  }

 private:
  /// One element of the root: what rocprofv3 saw of a process.
  void read_process() {
    ++processes_;
    const std::string number = processes_ == 1 ? "" : " #" + std::to_string(processes_);
    builder_.begin_source(bytes_.path() + number, "rocprof");
    Records records(builder_);
    std::string key, text;
    const bool is_object = json_.enter_object();
    if (!is_object) json_.skip_value();
    while (is_object && json_.next_member(key)) {
      if (key == "metadata") {
        if (const Json value = parsed(text); value.is_object()) records.set_metadata(value);
      } else if (key == "agents") {
        if (const Json value = parsed(text); value.is_array()) records.set_agents(value);
      } else if (key == "strings") {
        if (const Json value = parsed(text); value.is_object()) records.set_strings(value);
      } else if (key == "kernel_symbols" && json_.enter_array()) {
        while (json_.next_element()) {
          if (const Json value = parsed(text); value.is_object()) records.add_kernel_symbol(value);
        }
      } else if (key == "buffer_records" && json_.enter_object()) {
        read_records(records);
      } else if (key == "callback_records" && json_.enter_object()) {
        count_records();
      } else {
        json_.skip_value();
      }
    }
    builder_.end_source(0, 0);
  }

  void read_records(Records& records) {
    std::string list, text;
    while (json_.next_member(list)) {
      if (!json_.enter_array()) {
        json_.skip_value();
        continue;
      }
      while (json_.next_element()) {
        const Json record = parsed(text);
        if (record.is_object()) records.add(list, record);
        if (++records_ % kRecordsPerProgress == 0) {
          progress_.update("reading", bytes_.disk_bytes(), bytes_.disk_size());
        }
      }
    }
  }

  /// Counters per dispatch, which are not read.
  void count_records() {
    std::string list;
    while (json_.next_member(list)) {
      if (!json_.enter_array()) {
        json_.skip_value();
        continue;
      }
      while (json_.next_element()) {
        if (json_.skip_value()) builder_.drop("callback_records");
      }
    }
  }

  /// The next value; a discarded document if it is damaged.
  Json parsed(std::string& text) {
    if (!json_.take_value(text)) return {};
    Json value = Json::parse(text);
    if (value.is_discarded()) builder_.drop("malformed_event");
    return value;
  }

  InputBytes& bytes_;
  RunBuilder& builder_;
  Progress& progress_;
  JsonReader json_;
  int processes_ = 0;
  std::uint64_t records_ = 0;
};

}  // namespace

bool is_rocprof(std::string_view head) {
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || head[first] != '{') return false;
  head.remove_prefix(first + 1);
  const std::size_t key = head.find_first_not_of(" \t\r\n");
  return key != std::string_view::npos && head.substr(key).starts_with('"') &&
         head.substr(key + 1).starts_with(kRoot);
}

Status import(InputBytes& bytes, RunBuilder& builder, Progress& progress) {
  return DocumentReader(bytes, builder, progress).read();
}

}  // namespace tactus::rocprof

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "run/builder.h"

namespace tactus::rocprof {

/// Puts the records of one process into the run, in the words of Kineto. Times are ns since the
/// boot; agents, kernels and operations have numbers.
class Records {
 public:
  explicit Records(RunBuilder& builder) : builder_(builder) {}

  void set_metadata(const Json& metadata);
  /// All agents, CPUs too; GPUs become devices.
  void set_agents(const Json& agents);
  /// Names of kinds and operations, and texts of markers.
  void set_strings(const Json& strings);
  void add_kernel_symbol(const Json& symbol);

  /// A record of a list of buffer_records: kernel_dispatch, hip_api, memory_copy and others.
  void add(std::string_view list, const Json& record);

 private:
  struct Agent {
    bool is_gpu = false;
    std::int64_t index = 0;
  };
  struct Times {
    std::int64_t start_ns = 0;
    std::int64_t dur_ns = 0;
  };

  void add_kernel(const Json& record, const Times& times);
  void add_copy(const Json& record, const Times& times);
  void add_call(std::string_view list, const Json& record, const Times& times);

  std::optional<Times> times_of(const Json& record);
  std::string operation_name(const Json& record);
  Agent agent(const Json& object, std::string_view key) const;
  void begin_args() {
    shape_.clear();
    values_.clear();
  }
  void add_arg(std::string_view key, ValueType type, std::int64_t raw);
  void add_correlation(const Json& record);
  void add_list(std::string_view key, const std::vector<std::int64_t>& numbers);
  TrackId device_track(std::int64_t device, std::int64_t stream, std::string_view text);
  void append(const Times& times, std::string_view name, TrackId track, std::string_view category);

  RunBuilder& builder_;
  std::int64_t pid_ = 0;
  std::map<std::int64_t, Agent> agents_;  ///< by handle
  std::map<std::int64_t, std::string> kernels_;
  std::map<std::int64_t, std::string> markers_;
  std::vector<std::vector<std::string>> operations_;  ///< by kind
  ArgShape shape_;
  std::vector<std::int64_t> values_;
};

}  // namespace tactus::rocprof

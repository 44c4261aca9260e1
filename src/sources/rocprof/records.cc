#include "sources/rocprof/records.h"

#include <algorithm>

namespace tactus::rocprof {
namespace {

constexpr std::int64_t kGpuType = 2;

std::optional<std::int64_t> number_at(const Json& object, std::string_view key) {
  const Json* value = object.find(key);
  if (value == nullptr || !value->is_number_integer()) return std::nullopt;
  return value->get<std::int64_t>();
}

/// {"handle": 3}, or the number itself.
std::optional<std::int64_t> handle_at(const Json& object, std::string_view key) {
  const Json* value = object.find(key);
  if (value == nullptr) return std::nullopt;
  return value->is_object() ? number_at(*value, "handle") : number_at(object, key);
}

/// {"x": 1, "y": 2, "z": 3}
std::vector<std::int64_t> dimensions_at(const Json& object, std::string_view key) {
  const Json* value = object.find(key);
  if (value == nullptr) return {};
  std::vector<std::int64_t> out;
  for (const std::string_view axis : {"x", "y", "z"}) {
    const auto number = number_at(*value, axis);
    if (!number) return {};
    out.push_back(*number);
  }
  return out;
}

/// MEMORY_COPY_HOST_TO_DEVICE as Kineto names it.
std::string copy_name(std::string_view operation) {
  const auto has = [&](std::string_view part) {
    return operation.find(part) != std::string_view::npos;
  };
  if (has("HOST_TO_DEVICE")) return "Memcpy HtoD (Host -> Device)";
  if (has("DEVICE_TO_HOST")) return "Memcpy DtoH (Device -> Host)";
  if (has("DEVICE_TO_DEVICE")) return "Memcpy DtoD (Device -> Device)";
  if (has("HOST_TO_HOST")) return "Memcpy HtoH (Host -> Host)";
  return operation.empty() ? "Memcpy" : std::string(operation);
}

std::string_view category_of(std::string_view list) {
  if (list == "hip_api") return "cuda_runtime";
  if (list == "hsa_api") return "cuda_driver";
  if (list == "marker_api") return "user_annotation";
  if (list == "rccl_api") return "cpu_op";
  return list;
}

}  // namespace

void Records::set_metadata(const Json& metadata) {
  pid_ = number_at(metadata, "pid").value_or(0);
  if (const Json* node = metadata.find("node")) {
    const std::string host = node->text_at("hostname");
    if (!host.empty()) builder_.source().host_name = builder_.intern_repaired(host);
  }
  builder_.source().metadata.push_back(
      {builder_.intern("metadata"), builder_.intern_repaired(metadata.dump())});
  Process& process = builder_.run().processes[builder_.process(RunBuilder::ident(pid_)).value];
  process.labels = builder_.intern("CPU");
}

void Records::set_agents(const Json& agents) {
  std::int64_t gpus = 0;
  for (const Json& agent : agents) {
    const auto handle = handle_at(agent, "id");
    if (!handle) continue;
    Agent& known = agents_[*handle];
    known.is_gpu = number_at(agent, "type") == kGpuType;
    if (!known.is_gpu) continue;
    known.index = number_at(agent, "logical_node_type_id").value_or(gpus);
    ++gpus;
    std::string name = agent.text_at("product_name");
    if (name.empty()) name = agent.text_at("name");
    builder_.run().described_devices.push_back({.source = builder_.source_id(),
                                                .index = known.index,
                                                .name = builder_.intern_repaired(name)});
  }
}

void Records::set_strings(const Json& strings) {
  if (const Json* kinds = strings.find("buffer_records")) {
    operations_.clear();
    for (const Json& kind : *kinds) {
      operations_.emplace_back();
      const Json* names = kind.find("operations");
      for (std::size_t i = 0; names != nullptr && names->is_array() && i < names->size(); ++i) {
        const Json& name = names->at(i);
        operations_.back().push_back(name.is_string() ? name.get<std::string>() : "");
      }
    }
  }
  if (const Json* markers = strings.find("marker_api")) {
    for (const Json& marker : *markers) {
      if (const auto key = number_at(marker, "key")) markers_[*key] = marker.text_at("value");
    }
  }
}

void Records::add_kernel_symbol(const Json& symbol) {
  const auto id = number_at(symbol, "kernel_id");
  if (!id) return;
  for (const std::string_view key :
       {"demangled_kernel_name", "formatted_kernel_name", "kernel_name"}) {
    std::string name = symbol.text_at(key);
    if (name.empty()) continue;
    // The name of the code object's symbol: "vecAdd.kd"
    if (name.ends_with(".kd")) name.resize(name.size() - 3);
    kernels_[*id] = std::move(name);
    return;
  }
}

void Records::add(std::string_view list, const Json& record) {
  if (list.starts_with("pc_sample")) {  // where a program counter was, not for how long
    builder_.drop("pc_samples");
    return;
  }
  const std::optional<Times> times = times_of(record);
  if (!times) return;
  begin_args();
  if (list == "kernel_dispatch" ||
      list == "kernel_dispatches") {  // the second of the first versions
    add_kernel(record, *times);
  } else if (list == "memory_copy") {
    add_copy(record, *times);
  } else {
    add_call(list, record, *times);
  }
}

std::optional<Records::Times> Records::times_of(const Json& record) {
  const auto start = number_at(record, "start_timestamp");
  const auto end = number_at(record, "end_timestamp");
  if (!start || !end) {
    builder_.drop("no_timestamp");
    return std::nullopt;
  }
  constexpr std::int64_t kLatest = kLatestTime / 2;
  if (*start < -kLatest || *start > kLatest || *end < -kLatest || *end > kLatest) {
    builder_.drop("bad_timestamp");
    return std::nullopt;
  }
  if (*end < *start) builder_.repair("negative_duration");
  return Times{*start, std::max<std::int64_t>(*end - *start, 0)};
}

std::string Records::operation_name(const Json& record) {
  const auto kind = static_cast<std::uint64_t>(number_at(record, "kind").value_or(-1));
  const auto operation = static_cast<std::uint64_t>(number_at(record, "operation").value_or(-1));
  if (kind < operations_.size() && operation < operations_[kind].size()) {
    return operations_[kind][operation];
  }
  builder_.repair("missing_name");
  return {};
}

Records::Agent Records::agent(const Json& object, std::string_view key) const {
  const auto found = agents_.find(handle_at(object, key).value_or(-1));
  return found == agents_.end() ? Agent{} : found->second;
}

void Records::add_arg(std::string_view key, ValueType type, std::int64_t raw) {
  shape_.push_back({builder_.intern(key), type});
  values_.push_back(raw);
}

void Records::add_correlation(const Json& record) {
  const Json* id = record.find("correlation_id");
  if (id == nullptr) return;
  if (const auto number =
          id->is_object() ? number_at(*id, "internal") : number_at(record, "correlation_id")) {
    add_arg("correlation", ValueType::kInt, *number);
  }
}

void Records::add_list(std::string_view key, const std::vector<std::int64_t>& numbers) {
  if (numbers.empty()) return;
  std::string json;
  for (const std::int64_t number : numbers) {
    json += (json.empty() ? "[" : ",") + std::to_string(number);
  }
  add_arg(key, ValueType::kJson, builder_.intern(json + "]").value);
}

TrackId Records::device_track(std::int64_t device, std::int64_t stream, std::string_view text) {
  const ProcessId process = builder_.process(RunBuilder::ident(device));
  builder_.run().processes[process.value].labels = builder_.intern("GPU " + std::to_string(device));
  const Ident tid = text.empty() ? RunBuilder::ident(stream) : builder_.ident(text);
  const TrackId id = builder_.track(builder_.thread(process, tid), true);
  Track& track = builder_.run().tracks[id.value];
  track.device_index = device;
  if (text.empty()) track.stream = stream;
  return id;
}

void Records::add_kernel(const Json& record, const Times& times) {
  static const Json kNothing = Json::object();
  const Json* found = record.find("dispatch_info");
  const Json& info = found != nullptr && found->is_object() ? *found : kNothing;
  const Agent device = agent(info, "agent_id");
  const auto queue = handle_at(info, "queue_id");
  const auto stream = handle_at(record, "stream_id");
  const auto kernel = number_at(info, "kernel_id");
  const auto name = kernels_.find(kernel.value_or(-1));
  if (name == kernels_.end()) builder_.repair("missing_name");

  add_arg("device", ValueType::kInt, device.index);
  add_arg("stream", ValueType::kInt, stream.value_or(queue.value_or(0)));
  add_correlation(record);
  std::vector<std::int64_t> block = dimensions_at(info, "workgroup_size");
  std::vector<std::int64_t> grid = dimensions_at(info, "grid_size");
  // AMD counts the work items of the whole grid; Kineto counts blocks.
  for (std::size_t i = 0; i < grid.size() && i < block.size(); ++i) {
    if (block[i] > 0 && grid[i] > 0) grid[i] = (grid[i] - 1) / block[i] + 1;
  }
  add_list("grid", grid);
  add_list("block", block);
  if (const auto shared = number_at(info, "group_segment_size")) {
    add_arg("shared memory", ValueType::kInt, *shared);
  }
  if (const auto scratch = number_at(info, "private_segment_size")) {
    add_arg("private_segment_size", ValueType::kInt, *scratch);
  }
  if (queue) add_arg("queue", ValueType::kInt, *queue);
  if (const auto dispatch = number_at(info, "dispatch_id")) {
    add_arg("dispatch_id", ValueType::kInt, *dispatch);
  }
  append(times,
         name != kernels_.end() ? name->second : "kernel " + std::to_string(kernel.value_or(-1)),
         device_track(device.index, stream.value_or(queue.value_or(0)), ""), "kernel");
}

void Records::add_copy(const Json& record, const Times& times) {
  const Agent target = agent(record, "dst_agent_id");
  const Agent source = agent(record, "src_agent_id");
  const std::int64_t device = target.is_gpu ? target.index : source.index;
  const auto stream = handle_at(record, "stream_id");
  add_arg("device", ValueType::kInt, device);
  if (stream) add_arg("stream", ValueType::kInt, *stream);
  add_correlation(record);
  if (const auto bytes = number_at(record, "bytes")) add_arg("bytes", ValueType::kInt, *bytes);
  append(times, copy_name(operation_name(record)),
         device_track(device, stream.value_or(0), stream ? "" : "copies"), "gpu_memcpy");
}

void Records::add_call(std::string_view list, const Json& record, const Times& times) {
  const std::int64_t tid = number_at(record, "thread_id").value_or(pid_);
  const ThreadId thread =
      builder_.thread(builder_.process(RunBuilder::ident(pid_)), RunBuilder::ident(tid));
  add_correlation(record);
  for (const std::string_view key : {"allocation_size", "bytes"}) {
    if (const auto bytes = number_at(record, key)) add_arg("bytes", ValueType::kInt, *bytes);
  }
  std::string name = operation_name(record);
  if (list == "marker_api") {
    const Json* id = record.find("correlation_id");
    const auto number = id == nullptr ? std::nullopt : number_at(*id, "internal");
    const auto text = markers_.find(number.value_or(-1));
    if (text != markers_.end() && !text->second.empty()) name = text->second;
  }
  append(times, name, builder_.track(thread, false), category_of(list));
}

void Records::append(const Times& times, std::string_view name, TrackId track,
                     std::string_view category) {
  builder_.run().slices.append(times.start_ns, times.dur_ns, builder_.intern_repaired(name),
                               track.value, builder_.category(category).value,
                               builder_.shape(shape_), values_);
}

}  // namespace tactus::rocprof

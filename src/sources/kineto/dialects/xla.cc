#include "sources/kineto/dialects/xla.h"

#include <charconv>
#include <string>

#include "base/json.h"

namespace tactus::kineto {
namespace {

constexpr std::string_view kDevice = "/device:";
constexpr std::string_view kHost = "/host:";
constexpr std::string_view kStream = "Stream #";

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t number = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc()) {
    return std::nullopt;
  }
  return number;
}

/// The value of a word in "regs:16 grid:32768,1,1"; empty if it is not there.
std::string_view detail(std::string_view details, std::string_view key) {
  while (!details.empty()) {
    const std::size_t end = std::min(details.find(' '), details.size());
    const std::string_view word = details.substr(0, end);
    if (word.size() > key.size() && word.starts_with(key) && word[key.size()] == ':') {
      return word.substr(key.size() + 1);
    }
    details.remove_prefix(std::min(end + 1, details.size()));
  }
  return {};
}

/// "pinned" as Kineto writes it: "Pinned".
std::string memory_name(std::string_view kind) {
  if (kind.empty()) return "Unknown";
  std::string name(kind);
  if (name[0] >= 'a' && name[0] <= 'z') name[0] = static_cast<char>(name[0] - 'a' + 'A');
  return name;
}

/// "MemcpyH2D" as Kineto names it: "Memcpy HtoD (Pinned -> Device)".
std::string copy_name(std::string_view name, std::string_view details) {
  std::string direction(name.substr(std::string_view("Memcpy").size()));
  if (const std::size_t two = direction.find('2'); two != std::string::npos) {
    direction.replace(two, 1, "to");
  }
  return "Memcpy " + direction + " (" + memory_name(detail(details, "kind_src")) + " -> " +
         memory_name(detail(details, "kind_dst")) + ")";
}

/// "$core.py:686 bind" as Kineto names it: "core.py(686): bind"; "$numpy asarray" is built in.
std::string frame_name(std::string_view name) {
  name.remove_prefix(1);
  const std::size_t space = name.find(' ');
  if (space == std::string_view::npos) return "<built-in function " + std::string(name) + ">";
  const std::string_view place = name.substr(0, space);
  const std::string function(name.substr(space + 1));
  const std::size_t colon = place.rfind(':');
  if (colon == std::string_view::npos || !number_in(place.substr(colon + 1))) {
    const bool is_known = place != "builtins" && place != "<unknown>";
    return "<built-in function " + (is_known ? std::string(place) + "." : "") + function + ">";
  }
  return std::string(place.substr(0, colon)) + "(" + std::string(place.substr(colon + 1)) +
         "): " + function;
}

/// True for calls of the CUDA driver: cuLaunchHostFunc, cuGraphLaunch.
bool is_driver_call(std::string_view name) {
  return name.size() > 2 && name.starts_with("cu") && name[2] >= 'A' && name[2] <= 'Z';
}

}  // namespace

void XlaEvents::note_process(ProcessId process, std::string_view name) {
  if (name.starts_with(kHost)) places_[process] = {};
  if (!name.starts_with(kDevice)) return;
  // "/device:GPU:0", with more behind it if several hosts are in one trace
  const std::string_view rest = name.substr(kDevice.size());
  const std::size_t colon = rest.find(':');
  if (colon == std::string_view::npos) return;
  places_[process] = {number_in(rest.substr(colon + 1)).value_or(0)};
}

const ForeignSlice::Arg* XlaEvents::find(const ForeignSlice& slice, std::string_view key) const {
  for (const ForeignSlice::Arg& arg : slice.args) {
    if (builder_.run().strings[arg.key] == key) return &arg;
  }
  return nullptr;
}

void XlaEvents::add(ForeignSlice slice) {
  args_.clear();
  const Place& place = places_.at(slice.process);
  if (place.device) {
    add_device_slice(slice, *place.device);
  } else {
    add_host_slice(slice);
  }
}

void XlaEvents::add_number(std::string_view key, std::int64_t number) {
  args_.push_back({builder_.intern(key), {ValueType::kInt, number}});
}

/// "32768,1,1" as a list.
void XlaEvents::add_list(std::string_view key, std::string_view list) {
  const std::string json = "[" + std::string(list) + "]";
  const bool is_list = list.find_first_not_of("0123456789,") == std::string_view::npos;
  if (list.empty() || !is_list || !Json::is_valid(json)) return;
  args_.push_back({builder_.intern(key), {ValueType::kJson, builder_.intern(json).value}});
}

void XlaEvents::add_kernel_details(std::string_view details) {
  if (const auto registers = number_in(detail(details, "regs"))) {
    add_number("registers per thread", *registers);
  }
  const auto fixed = number_in(detail(details, "static_shared"));
  const auto dynamic = number_in(detail(details, "dynamic_shared"));
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  if (fixed && dynamic && *fixed < kMost && *dynamic < kMost) {
    add_number("shared memory", *fixed + *dynamic);
  }
  add_list("grid", detail(details, "grid"));
  add_list("block", detail(details, "block"));
  if (const auto occupancy = number_in(detail(details, "occ_pct"))) {
    add_number("est. achieved occupancy %", *occupancy);
  }
}

/// Numbers that Kineto has, too, get its names; everything else stays as it is.
void XlaEvents::translate_args(ForeignSlice& slice) {
  for (const ForeignSlice::Arg& arg : slice.args) {
    const std::string key(builder_.run().strings[arg.key]);
    const std::optional<std::int64_t> number = whole_number(builder_.run(), arg.value);
    const std::string text(text_of(builder_.run(), arg.value));
    if (key == "correlation_id" && number) {
      add_number("correlation", *number);
    } else if (key == "cuda_graph_id" && number) {
      add_number("graph id", *number);
    } else if (key == "cuda_graph_node_id" && number) {
      add_number("graph node id", *number);
    } else if (key == "kernel_details") {
      add_kernel_details(text);
    } else if (key == "memcpy_details") {
      if (const auto bytes = number_in(detail(text, "size"))) add_number("bytes", *bytes);
    } else if (key == "Memset_details") {
      if (const auto bytes = number_in(detail(text, "num_bytes"))) add_number("bytes", *bytes);
    } else {
      args_.push_back(arg);
    }
  }
  slice.args = args_;
}

void XlaEvents::add_device_slice(ForeignSlice& slice, std::int64_t device) {
  const std::string thread(builder_.run().strings[builder_.run().threads[slice.thread.value].name]);
  const std::string name(builder_.run().strings[slice.name]);
  const bool is_stream = thread.starts_with(kStream);
  const ForeignSlice::Arg* copy = find(slice, "memcpy_details");
  std::string_view category = "kernel";
  if (!is_stream) {
    category = "gpu_user_annotation";  // "XLA Modules", "Steps" and other sums
  } else if (name.starts_with("Memcpy")) {
    category = "gpu_memcpy";
    const std::string details(copy == nullptr ? "" : text_of(builder_.run(), copy->value));
    slice.name = builder_.intern(copy_name(name, details));
  } else if (name.starts_with("Memset")) {
    category = "gpu_memset";
    slice.name = builder_.intern("Memset (Device)");
  }
  slice.category = builder_.category(category);
  const std::optional<std::int64_t> stream =
      is_stream ? number_in(std::string_view(thread).substr(kStream.size())) : std::nullopt;
  add_number("device", device);
  if (stream) add_number("stream", *stream);
  translate_args(slice);
  Track& track = builder_.run().tracks[append_slice(builder_, slice, true).value];
  track.device_index = device;
  track.stream = stream;
}

void XlaEvents::add_host_slice(ForeignSlice& slice) {
  const std::string name(builder_.run().strings[slice.name]);
  std::string_view category = "cpu_op";
  if (name.starts_with('$')) {
    category = "python_function";
    slice.name = builder_.intern(frame_name(name));
  } else if (is_driver_call(name)) {
    category = "cuda_driver";
  } else if (find(slice, "correlation_id") != nullptr) {
    category = "cuda_runtime";  // a launch; it has the name of the kernel
  } else if (find(slice, "step_num") != nullptr || name.starts_with("PjitFunction(")) {
    category = "user_annotation";
  } else if (name == "BUFFER_FLUSH" || name == "BUFFER_REQUEST" || name == "<UNKNOWN>") {
    category = "overhead";  // of CUPTI
  }
  slice.category = builder_.category(category);
  translate_args(slice);
  append_slice(builder_, slice, false);
}

}  // namespace tactus::kineto

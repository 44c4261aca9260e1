#include "record/agent/names.h"

#include <cstring>

#include "record/agent/agent.h"

namespace tactus::agent {
namespace {

/// Which name a function has, for all threads: a table of pairs that are written once.
struct KnownFunction {
  std::atomic<const void*> function;
  std::atomic<std::uint64_t> name;  ///< generation in the upper half
};
constexpr std::size_t kKnownFunctions = 16384;
constexpr std::size_t kTries = 32;
KnownFunction known_functions[kKnownFunctions];

struct KnownGraph {
  std::atomic<const void*> exec;
  std::atomic<std::uint32_t> name;
};
constexpr std::size_t kKnownGraphs = 4096;
KnownGraph known_graphs[kKnownGraphs];
std::atomic<std::uint32_t> graphs_made = 0;

std::size_t place_of(const void* handle, std::size_t places) {
  const auto address = reinterpret_cast<std::uintptr_t>(handle);
  return (address >> 4) * 0x9e3779b97f4a7c15u >> 20 & (places - 1);
}

/// The entry of a key, or one that was free.
template <class Entry, std::size_t N>
Entry* find_entry(Entry (&entries)[N], std::atomic<const void*> Entry::*key, const void* wanted,
                  bool add) {
  for (std::size_t i = 0; i < kTries; ++i) {
    Entry& entry = entries[(place_of(wanted, N) + i) & (N - 1)];
    const void* found = (entry.*key).load(std::memory_order_acquire);
    if (found == wanted) return &entry;
    if (found != nullptr) continue;
    if (!add) return nullptr;
    if ((entry.*key).compare_exchange_strong(found, wanted) || found == wanted) return &entry;
  }
  return nullptr;
}

/// Writes a number without the C library's formatting.
char* write_number(char* to, std::uint64_t number) {
  char digits[24];
  std::size_t count = 0;
  do {
    digits[count++] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  while (count > 0) *to++ = digits[--count];
  return to;
}

char* write_text(char* to, const char* text) {
  const std::size_t length = std::strlen(text);
  std::memcpy(to, text, length);
  return to + length;
}

void describe_device(std::int32_t number) {
  if (number < 0 || number >= static_cast<std::int32_t>(wire::kDevices)) return;
  wire::Device& device = data()->header.devices[number];
  const DriverCalls& calls = driver_calls();
  if (device.is_known.load(std::memory_order_relaxed) != 0) return;
  if (calls.device_get_name != nullptr) {
    calls.device_get_name(device.name, sizeof device.name - 1, number);
  }
  if (calls.device_get_uuid != nullptr) calls.device_get_uuid(device.uuid, number);
  device.is_known.store(1, std::memory_order_release);
}

}  // namespace

std::uint32_t add_name(const char* text, std::size_t length) {
  wire::Header& header = data()->header;
  length = length < wire::kLongestName ? length : wire::kLongestName;
  if (length == 0) return wire::kNoName;
  const std::uint32_t offset =
      header.text_bytes.fetch_add(static_cast<std::uint32_t>(length), std::memory_order_relaxed);
  if (offset > wire::kTextBytes - length) {
    header.text_bytes.fetch_sub(static_cast<std::uint32_t>(length), std::memory_order_relaxed);
    header.names_lost.fetch_add(1, std::memory_order_relaxed);
    return wire::kNoName;
  }
  const std::uint32_t id = header.names.fetch_add(1, std::memory_order_relaxed);
  if (id >= wire::kNames) {
    header.names.fetch_sub(1, std::memory_order_relaxed);
    header.names_lost.fetch_add(1, std::memory_order_relaxed);
    return wire::kNoName;
  }
  std::memcpy(data()->text + offset, text, length);
  data()->names[id].offset = offset;
  data()->names[id].length.store(static_cast<std::uint32_t>(length), std::memory_order_release);
  return id;
}

std::uint32_t find_kernel_name(Handle function, std::uint32_t generation) {
  KnownFunction* known = find_entry(known_functions, &KnownFunction::function, function, true);
  if (known != nullptr) {
    const std::uint64_t name = known->name.load(std::memory_order_acquire);
    if (static_cast<std::uint32_t>(name) != wire::kNoName && name >> 32 == generation) {
      return static_cast<std::uint32_t>(name);
    }
  }
  const DriverCalls& calls = driver_calls();
  const char* text = nullptr;
  if (calls.func_get_name == nullptr || calls.func_get_name(&text, function) != kSuccess) {
    if (calls.kernel_get_name == nullptr || calls.kernel_get_name(&text, function) != kSuccess) {
      text = nullptr;
    }
  }
  const std::uint32_t id = text != nullptr ? add_name(text, std::strlen(text)) : wire::kNoName;
  if (known != nullptr) {
    known->name.store(std::uint64_t{generation} << 32 | id, std::memory_order_release);
  }
  return id;
}

void forget_names() {
  for (KnownFunction& known : known_functions) known.name = wire::kNoName;
  for (KnownGraph& known : known_graphs) known.name = wire::kNoName;
}

void name_graph(Handle exec, Handle graph) {
  if (data() == nullptr) return;
  KnownGraph* known = find_entry(known_graphs, &KnownGraph::exec, exec, true);
  if (known == nullptr) return;
  char text[80];
  char* end = write_text(text, "graph ");
  end = write_number(end, graphs_made.fetch_add(1) + 1);
  std::size_t nodes = 0;
  const DriverCalls& calls = driver_calls();
  if (calls.graph_get_nodes != nullptr && graph != nullptr &&
      calls.graph_get_nodes(graph, nullptr, &nodes) == kSuccess) {
    end = write_text(end, ", ");
    end = write_number(end, nodes);
    end = write_text(end, nodes == 1 ? " node" : " nodes");
  }
  known->name.store(add_name(text, static_cast<std::size_t>(end - text)),
                    std::memory_order_release);
}

void forget_graph(Handle exec) {
  // The entry stays taken by the address; it gets a new name when a new graph is there.
  if (KnownGraph* known = find_entry(known_graphs, &KnownGraph::exec, exec, false)) {
    known->name.store(wire::kNoName, std::memory_order_release);
  }
}

std::uint32_t find_graph_name(Handle exec) {
  KnownGraph* known = find_entry(known_graphs, &KnownGraph::exec, exec, false);
  const std::uint32_t name =
      known != nullptr ? known->name.load(std::memory_order_acquire) : wire::kNoName;
  if (name != wire::kNoName) return name;
  // It was made ready before the agent was there, or while nothing was recorded.
  name_graph(exec, nullptr);
  known = find_entry(known_graphs, &KnownGraph::exec, exec, false);
  return known != nullptr ? known->name.load(std::memory_order_acquire) : wire::kNoName;
}

std::uint16_t find_stream(std::uint64_t handle, std::int32_t device) {
  wire::Header& header = data()->header;
  wire::Stream* streams = data()->streams;
  const std::uint32_t used = header.streams.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < used && i < wire::kStreams - 1; ++i) {
    if (streams[i].is_known.load(std::memory_order_acquire) != 0 && streams[i].handle == handle &&
        streams[i].device == device) {
      return static_cast<std::uint16_t>(i);
    }
  }
  describe_device(device);
  const std::uint32_t place = header.streams.fetch_add(1, std::memory_order_relaxed);
  if (place >= wire::kStreams - 1) {
    header.streams.store(wire::kStreams - 1, std::memory_order_relaxed);
    return wire::kStreams - 1;
  }
  streams[place].handle = handle;
  streams[place].device = device;
  streams[place].is_known.store(1, std::memory_order_release);
  return static_cast<std::uint16_t>(place);
}

std::int32_t current_device() {
  const DriverCalls& calls = driver_calls();
  int device = -1;
  if (calls.ctx_get_device == nullptr || calls.ctx_get_device(&device) != kSuccess) return -1;
  return device;
}

}  // namespace tactus::agent

#include "bench/device/captured_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tactus {
namespace {

using Handle = CudaDriver::Handle;

// CUgraphNodeType
constexpr int kHostNode = 3;
constexpr int kChildGraph = 4;
constexpr int kWaitEvent = 6;
constexpr int kRecordEvent = 7;
constexpr int kSignalSemaphore = 8;
constexpr int kWaitSemaphore = 9;
constexpr int kMemoryOperations = 12;
constexpr int kConditional = 13;

/// What a node of this type may not do here; empty if it may be there.
std::string_view refusal(int type) {
  switch (type) {
    case kHostNode: return "calls a function of the host; all work must be done by the GPU";
    case kWaitEvent:
    case kSignalSemaphore:
    case kWaitSemaphore:
    case kMemoryOperations: return "waits for, or signals, something outside its own work";
    case kConditional: return "has a conditional node, whose work cannot be looked at";
    default: return {};
  }
}

struct Graph {
  std::vector<Handle> nodes;
  std::vector<std::pair<std::size_t, std::size_t>> edges;  ///< indices of nodes
};

std::optional<Graph> read_graph(const CudaDriver& driver, Handle handle) {
  Graph graph;
  std::size_t count = 0;
  if (driver.cuGraphGetNodes(handle, nullptr, &count) != 0) return std::nullopt;
  graph.nodes.resize(count);
  if (count > 0 && driver.cuGraphGetNodes(handle, graph.nodes.data(), &count) != 0) {
    return std::nullopt;
  }
  struct EdgeData {
    std::uint8_t bytes[8];
  };
  std::vector<EdgeData> data;
  std::vector<Handle> from;
  std::vector<Handle> to;
  const auto get = [&](bool all) {
    Handle* const first = all ? from.data() : nullptr;
    Handle* const second = all ? to.data() : nullptr;
    if (driver.cuGraphGetEdges_v2 == nullptr) {
      return driver.cuGraphGetEdges(handle, first, second, &count);
    }
    return driver.cuGraphGetEdges_v2(handle, first, second, all ? data.data() : nullptr, &count);
  };
  count = 0;
  if (get(false) != 0) return std::nullopt;
  from.resize(count);
  to.resize(count);
  data.resize(count);
  if (count > 0 && get(true) != 0) return std::nullopt;
  const auto index = [&graph](Handle node) {
    return static_cast<std::size_t>(std::find(graph.nodes.begin(), graph.nodes.end(), node) -
                                    graph.nodes.begin());
  };
  for (std::size_t i = 0; i < count; ++i) graph.edges.emplace_back(index(from[i]), index(to[i]));
  return graph;
}

/// Every node that can be reached from `start` along the edges, or against them.
std::vector<bool> reached(const Graph& graph, std::size_t start, bool forward) {
  std::vector<bool> seen(graph.nodes.size() + 1, false);
  std::vector<std::size_t> open = {start};
  while (!open.empty()) {
    const std::size_t node = open.back();
    open.pop_back();
    for (const auto& [a, b] : graph.edges) {
      const std::size_t next = forward ? b : a;
      if ((forward ? a : b) != node || seen[next]) continue;
      seen[next] = true;
      open.push_back(next);
    }
  }
  return seen;
}

std::string_view refused_inside(const CudaDriver& driver, Handle node, int depth) {
  int type = 0;
  if (driver.cuGraphNodeGetType(node, &type) != 0) return "has a node that cannot be looked at";
  if (const std::string_view why = refusal(type); !why.empty()) return why;
  if (type != kChildGraph) return {};
  Handle child = nullptr;
  constexpr int kDeepest = 8;
  if (depth > kDeepest || driver.cuGraphChildGraphNodeGetGraph(node, &child) != 0) {
    return "has graphs inside graphs that cannot be looked at";
  }
  const std::optional<Graph> graph = read_graph(driver, child);
  if (!graph) return "has a graph inside that cannot be looked at";
  for (const Handle inner : graph->nodes) {
    if (const std::string_view why = refused_inside(driver, inner, depth + 1); !why.empty()) {
      return why;
    }
  }
  return {};
}

}  // namespace

std::string fault_of_graph(const CudaDriver& driver, Handle handle, Handle begin, Handle end) {
  const std::optional<Graph> graph = read_graph(driver, handle);
  if (!graph) return "the graph of its work cannot be looked at";
  std::optional<std::size_t> first;
  std::optional<std::size_t> last;
  for (std::size_t i = 0; i < graph->nodes.size(); ++i) {
    int type = 0;
    Handle event = nullptr;
    driver.cuGraphNodeGetType(graph->nodes[i], &type);
    if (type != kRecordEvent ||
        driver.cuGraphEventRecordNodeGetEvent(graph->nodes[i], &event) != 0) {
      continue;
    }
    if (event == begin) first = i;
    if (event == end) last = i;
  }
  if (!first || !last) return "its work removed the events that time it";
  const std::vector<bool> after = reached(*graph, *first, true);
  const std::vector<bool> before = reached(*graph, *last, false);
  std::size_t outside = 0;
  std::size_t late = 0;
  std::size_t work = 0;
  for (std::size_t i = 0; i < graph->nodes.size(); ++i) {
    if (i == *first || i == *last) continue;
    ++work;
    if (!after[i]) ++outside;
    if (!before[i]) ++late;
    if (const std::string_view why = refused_inside(driver, graph->nodes[i], 0); !why.empty()) {
      return fmt::format("it {}", why);
    }
  }
  // One is ours: it empties the cache before `begin`.
  if (outside > 1) {
    return fmt::format("{} of its {} pieces of work need not wait for the begin of the call",
                       outside - 1, work - 1);
  }
  if (late > 0) {
    return fmt::format("the end of the call does not wait for {} of its {} pieces of work", late,
                       work - 1);
  }
  if (work <= 1) return "it puts no work into the stream that it is given";
  return {};
}

}  // namespace tactus

#include <cstring>

#include "standin/graph.h"

namespace standin {
namespace {

/// The driver's way to hand out a list: without room for it, only the length is told.
void hand_out(const std::vector<Node*>& found, Node** nodes, std::size_t* count) {
  if (nodes == nullptr) {
    *count = found.size();
    return;
  }
  const std::size_t room = *count;
  for (std::size_t i = 0; i < room; ++i) nodes[i] = i < found.size() ? found[i] : nullptr;
  *count = found.size() < room ? found.size() : room;
}

int edges(const Graph* graph, Node** from, Node** to, EdgeData* data, std::size_t* count) {
  if (graph == nullptr || count == nullptr) return kInvalidValue;
  std::vector<Node*> sources;
  std::vector<Node*> targets;
  for (const auto& node : graph->nodes) {
    for (Node* before : node->after) {
      sources.push_back(before);
      targets.push_back(node.get());
    }
  }
  std::size_t count_of_from = *count;
  if (data != nullptr && from != nullptr) std::memset(data, 0, *count * sizeof(EdgeData));
  hand_out(sources, from, &count_of_from);
  hand_out(targets, to, count);
  return kSuccess;
}

/// Why one plan cannot take the place of another. Kernels may become others.
int difference(const GraphPlan& before, const GraphPlan& after) {
  if (before.steps.size() != after.steps.size()) return kUpdateOtherTopology;
  for (std::size_t i = 0; i < before.steps.size(); ++i) {
    if (before.steps[i].after != after.steps[i].after) return kUpdateOtherTopology;
    if (before.steps[i].work.kind != after.steps[i].work.kind) return kUpdateOtherNodeType;
  }
  return kUpdateDone;
}

}  // namespace
}  // namespace standin

using namespace standin;

STANDIN_SHOWN int cuGraphCreate(Graph** graph, unsigned) {
  *graph = new Graph;
  return kSuccess;
}

STANDIN_SHOWN int cuGraphDestroy(Graph* graph) {
  delete graph;
  return kSuccess;
}

STANDIN_SHOWN int cuGraphInstantiateWithFlags(GraphExec** exec, Graph* graph, unsigned long long) {
  if (graph == nullptr) return kInvalidValue;
  *exec = new GraphExec{make_plan(*graph)};
  return kSuccess;
}

STANDIN_SHOWN int cuGraphExecDestroy(GraphExec* exec) {
  delete exec;  // launches that are under way have the plan
  return kSuccess;
}

STANDIN_SHOWN int cuGraphExecUpdate_v2(GraphExec* exec, const Graph* graph, UpdateResult* result) {
  if (exec == nullptr || graph == nullptr || result == nullptr) return kInvalidValue;
  *result = {};
  auto plan = make_plan(*graph);
  result->result = difference(*exec->plan, *plan);
  if (result->result != kUpdateDone) return kGraphUpdateFailed;
  exec->plan = std::move(plan);
  return kSuccess;
}

STANDIN_SHOWN int cuGraphUpload(GraphExec*, void*) {
  return kSuccess;
}

STANDIN_SHOWN int cuGraphGetNodes(Graph* graph, Node** nodes, std::size_t* count) {
  if (graph == nullptr || count == nullptr) return kInvalidValue;
  std::vector<Node*> all;
  for (const auto& node : graph->nodes) all.push_back(node.get());
  hand_out(all, nodes, count);
  return kSuccess;
}

STANDIN_SHOWN int cuGraphGetRootNodes(Graph* graph, Node** nodes, std::size_t* count) {
  if (graph == nullptr || count == nullptr) return kInvalidValue;
  std::vector<Node*> roots;
  for (const auto& node : graph->nodes) {
    if (node->after.empty()) roots.push_back(node.get());
  }
  hand_out(roots, nodes, count);
  return kSuccess;
}

STANDIN_SHOWN int cuGraphGetEdges(Graph* graph, Node** from, Node** to, std::size_t* count) {
  return edges(graph, from, to, nullptr, count);
}

STANDIN_SHOWN int cuGraphGetEdges_v2(Graph* graph, Node** from, Node** to, EdgeData* data,
                                     std::size_t* count) {
  return edges(graph, from, to, data, count);
}

STANDIN_SHOWN int cuGraphNodeGetType(Node* node, int* type) {
  if (node == nullptr) return kInvalidValue;
  *type = node->type;
  return kSuccess;
}

STANDIN_SHOWN int cuGraphEventRecordNodeGetEvent(Node* node, Event** event) {
  if (node == nullptr || node->type != kRecordNode) return kInvalidValue;
  *event = node->work.event;
  return kSuccess;
}

STANDIN_SHOWN int cuGraphChildGraphNodeGetGraph(Node*, Graph**) {
  return kInvalidValue;  // there are none
}

STANDIN_SHOWN int cuGraphKernelNodeGetParams_v2(Node* node, KernelNodeParams* params) {
  if (node == nullptr || node->type != kKernelNode) return kInvalidValue;
  const Work& work = node->work;
  *params = {};
  params->function = const_cast<Function*>(work.function);
  std::memcpy(params->grid, work.grid, sizeof work.grid);
  std::memcpy(params->block, work.block, sizeof work.block);
  params->shared_bytes = work.shared_bytes;
  params->params = node->params.data();
  return kSuccess;
}

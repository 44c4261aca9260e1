#include "standin/graph.h"

#include <algorithm>
#include <unordered_map>

#include "standin/event.h"
#include "standin/stream.h"

namespace standin {
namespace {

int node_type(Work::Kind kind) {
  switch (kind) {
    case Work::kKernel: return kKernelNode;
    case Work::kCopy: return kCopyNode;
    case Work::kFill: return kFillNode;
    case Work::kHost: return kHostNode;
    case Work::kRecord: return kRecordNode;
    case Work::kWait: return kWaitNode;
    default: return kEmptyNode;
  }
}

void add_once(std::vector<Node*>& nodes, Node* node) {
  if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
}

/// Captures that are under way.
std::vector<Capture*>& all_captures() {
  static std::vector<Capture*>* const all = new std::vector<Capture*>;
  return *all;
}

void leave(Capture& capture) {
  std::erase(all_captures(), &capture);
  for (Stream* stream : capture.streams) {
    stream->captured_after.clear();
    stream->is_capturing = false;
    stream->capture.reset();
  }
}

/// Every node must lead to where the first stream is now.
bool is_joined(const Capture& capture) {
  std::vector<const Node*> has_next;
  for (const auto& node : capture.graph->nodes) {
    has_next.insert(has_next.end(), node->after.begin(), node->after.end());
  }
  std::sort(has_next.begin(), has_next.end());
  const std::vector<Node*>& ends = capture.origin->captured_after;
  return std::all_of(capture.graph->nodes.begin(), capture.graph->nodes.end(),
                     [&](const auto& node) {
                       return std::binary_search(has_next.begin(), has_next.end(), node.get()) ||
                              std::find(ends.begin(), ends.end(), node.get()) != ends.end();
                     });
}

}  // namespace

Node* Graph::add(Work work, const std::vector<Node*>& after) {
  auto node = std::make_unique<Node>();
  node->type = node_type(work.kind);
  node->work = std::move(work);
  node->work.submitted_ns = 0;
  node->after = after;
  if (node->work.function != nullptr) {
    std::size_t place = 0;
    for (const std::size_t size : node->work.function->sizes) {
      node->params.push_back(node->work.arguments.data() + place);
      place += size;
    }
  }
  nodes.push_back(std::move(node));
  return nodes.back().get();
}

std::shared_ptr<const GraphPlan> make_plan(const Graph& graph) {
  auto plan = std::make_shared<GraphPlan>();
  std::unordered_map<const Node*, std::size_t> place;
  for (const auto& node : graph.nodes) {
    GraphPlan::Step step{.work = node->work, .after = {}};
    for (const Node* before : node->after) step.after.push_back(place.at(before));
    place[node.get()] = plan->steps.size();
    plan->steps.push_back(std::move(step));
  }
  return plan;
}

std::mutex& capture_lock() {
  static std::mutex* const lock = new std::mutex;
  return *lock;
}

int begin_capture(Stream& stream, int mode) {
  const std::lock_guard lock(capture_lock());
  if (stream.is_legacy) return kCaptureUnsupported;
  if (stream.capture != nullptr) return kInvalidValue;
  static std::uint64_t last_id = 0;
  auto capture = std::make_shared<Capture>();
  capture->origin = &stream;
  capture->streams = {&stream};
  capture->id = ++last_id;
  capture->is_global = mode == kGlobalCapture;
  all_captures().push_back(capture.get());
  stream.capture = std::move(capture);
  stream.captured_after.clear();
  stream.is_capturing = true;
  return kSuccess;
}

int end_capture(Stream& stream, Graph** graph) {
  const std::lock_guard lock(capture_lock());
  *graph = nullptr;
  const std::shared_ptr<Capture> capture = stream.capture;
  if (capture == nullptr) return kInvalidValue;
  if (capture->origin != &stream) return kCaptureUnmatched;
  const bool joined = is_joined(*capture);
  leave(*capture);
  if (!capture->is_valid) return kCaptureInvalidated;
  if (!joined) return kCaptureUnjoined;
  *graph = capture->graph.release();
  return kSuccess;
}

int capture_work(Stream& stream, Work work) {
  const std::lock_guard lock(capture_lock());
  if (stream.capture == nullptr) return kInvalidValue;
  if (!stream.capture->is_valid) return kCaptureInvalidated;
  stream.captured_after = {stream.capture->graph->add(std::move(work), stream.captured_after)};
  return kSuccess;
}

int capture_record(Stream& stream, Event& event) {
  const std::lock_guard lock(capture_lock());
  if (stream.capture == nullptr) return kInvalidValue;
  if (!stream.capture->is_valid) return kCaptureInvalidated;
  const std::lock_guard event_lock(event.mutex);
  event.capture = stream.capture;
  event.captured_after = stream.captured_after;
  return kSuccess;
}

bool capture_wait(Stream& stream, Event& event, int& result) {
  const std::lock_guard lock(capture_lock());
  const std::lock_guard event_lock(event.mutex);
  if (event.capture == nullptr || event.capture->graph == nullptr) {
    if (stream.capture == nullptr) return false;
    // Work outside of the capture cannot be waited for in it.
    stream.capture->is_valid = false;
    result = kCaptureUnsupported;
    return true;
  }
  if (stream.capture == nullptr) {
    stream.capture = event.capture;
    stream.is_capturing = true;
    event.capture->streams.push_back(&stream);
  } else if (stream.capture != event.capture) {
    result = kCaptureUnmatched;
    return true;
  }
  for (Node* node : event.captured_after) add_once(stream.captured_after, node);
  result = kSuccess;
  return true;
}

int& capture_mode_of_thread() {
  static thread_local int mode = kGlobalCapture;
  return mode;
}

bool spoils_captures() {
  if (capture_mode_of_thread() == kRelaxedCapture) return false;
  const std::lock_guard lock(capture_lock());
  bool is_wrong = false;
  for (Capture* capture : all_captures()) {
    if (!capture->is_global) continue;
    capture->is_valid = false;
    is_wrong = true;
  }
  return is_wrong;
}

int refuse_in_capture(Stream& stream) {
  const std::lock_guard lock(capture_lock());
  if (stream.capture != nullptr) stream.capture->is_valid = false;
  return kCaptureUnsupported;
}

}  // namespace standin

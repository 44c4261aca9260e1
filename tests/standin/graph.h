#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "standin/work.h"

namespace standin {

struct Stream;

/// CUgraphNode
struct Node {
  int type = 0;  ///< CUgraphNodeType
  Work work;
  std::vector<Node*> after;
  std::vector<void*> params;  ///< addresses inside `work.arguments`, for who asks
};

/// CUgraph
struct Graph {
  Node* add(Work work, const std::vector<Node*>& after);

  std::vector<std::unique_ptr<Node>> nodes;  ///< each behind those that it waits for
};

/// CUgraphExec: a copy of a graph that can be launched.
struct GraphPlan {
  struct Step {
    Work work;
    std::vector<std::size_t> after;
  };
  std::vector<Step> steps;
};
struct GraphExec {
  std::shared_ptr<const GraphPlan> plan;
};

std::shared_ptr<const GraphPlan> make_plan(const Graph& graph);

/// The recording of a graph from streams. One lock guards all captures and the streams' part in
/// them.
struct Capture {
  std::unique_ptr<Graph> graph = std::make_unique<Graph>();
  Stream* origin = nullptr;
  std::vector<Stream*> streams;
  std::uint64_t id = 0;
  bool is_valid = true;
  bool is_global = false;  ///< other threads must be careful, too
};

std::mutex& capture_lock();
int begin_capture(Stream& stream, int mode);
int end_capture(Stream& stream, Graph** graph);
/// Adds a node behind what the stream captured so far.
int capture_work(Stream& stream, Work work);
int capture_record(Stream& stream, Event& event);
/// If the event is from a capture, the stream joins it. False: it is a plain event.
bool capture_wait(Stream& stream, Event& event, int& result);
/// A call that cannot be captured was made on the stream.
int refuse_in_capture(Stream& stream);

/// What cuThreadExchangeStreamCaptureMode sets.
int& capture_mode_of_thread();
/// A call that is not allowed in any thread while there is a global capture, except in threads that
/// are relaxed about it, was made. True, and all such captures are spoiled, if that was wrong.
bool spoils_captures();

}  // namespace standin

#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "standin/work.h"

namespace standin {

struct Capture;
struct Node;

/// CUevent. What was recorded last is a marker in a stream, or a place in a capture.
struct Event {
  bool has_time = true;

  std::shared_ptr<Marker> latest() const {
    const std::lock_guard lock(mutex);
    return marker;
  }
  /// A new marker, from now on the latest.
  std::shared_ptr<Marker> renew() {
    const std::lock_guard lock(mutex);
    capture.reset();
    return marker = std::make_shared<Marker>();
  }

  mutable std::mutex mutex;
  std::shared_ptr<Marker> marker;
  std::shared_ptr<Capture> capture;
  std::vector<Node*> captured_after;
};

}  // namespace standin

#pragma once

#include <string>
#include <vector>

#include "watch/streams.h"

namespace tactus::watch {

/// Messages of one sink.
struct SinkAccount {
  std::string name;
  std::uint64_t delivered = 0;
  std::uint64_t failed = 0;
  std::uint64_t dropped = 0;
};

/// What a watch comes to.
struct WatchReport {
  std::string source;
  std::vector<StreamAccount> streams;
  std::vector<WatchEvent> alerts;  ///< each once, as last known
  std::vector<SinkAccount> sinks;
  std::vector<std::string> notes;
  std::uint64_t streams_left_out = 0;
  bool was_interrupted = false;
};

}  // namespace tactus::watch

#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "run/builder.h"

namespace tactus::record {

/// The sources of recorded processes in the Run. The agent and the host tracer see the same
/// process; both are one source.
class ProcessSources {
 public:
  ProcessSources(RunBuilder& builder, std::int64_t origin_ns, const std::string& host_name);

  /// Made at the first call. A pid is used again when `forget` was called.
  SourceId of(std::int64_t pid);
  void forget(std::int64_t pid) { sources_.erase(pid); }

 private:
  RunBuilder& builder_;
  std::int64_t origin_ns_;
  StringId host_name_;
  std::map<std::int64_t, SourceId> sources_;
};

}  // namespace tactus::record

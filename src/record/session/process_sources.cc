#include "record/session/process_sources.h"

namespace tactus::record {

ProcessSources::ProcessSources(RunBuilder& builder, std::int64_t origin_ns,
                               const std::string& host_name)
    : builder_(builder), origin_ns_(origin_ns), host_name_(builder.intern_repaired(host_name)) {}

SourceId ProcessSources::of(std::int64_t pid) {
  if (const auto at = sources_.find(pid); at != sources_.end()) return at->second;
  const SourceId source = builder_.begin_source("process " + std::to_string(pid), "tactus");
  builder_.source().host_name = host_name_;
  builder_.end_source(origin_ns_, 0);
  sources_.emplace(pid, source);
  return source;
}

}  // namespace tactus::record

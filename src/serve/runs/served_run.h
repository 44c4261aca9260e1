#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>

#include "run/tact/tact_file.h"
#include "serve/documents/run_documents.h"
#include "serve/runs/document_cache.h"
#include "sql/session.h"

namespace tactus::serve {

/// A run that a server shows: opened once, or followed while it is recorded. Calls may come from
/// any thread.
class ServedRun {
 public:
  ServedRun(std::string name, std::unique_ptr<Run> run, unsigned threads, Progress& progress);
  ServedRun(std::string name, RunFollower follower, unsigned threads, Progress& progress);

  PageRun in_list();

  /// A document, from the cache if it was asked for before.
  Result<std::shared_ptr<const CachedDocument>> get(const DocumentName& name);

  /// The answer of a query as JSON, at most `most_rows` of it. `folder` is for a temporary file.
  Result<std::string> query(const std::string& text, std::size_t most_rows,
                            const std::string& folder);

  /// The run as a trace of Perfetto.
  Result<std::string> perfetto(const std::string& folder);

  /// Calls f(run) while the run does not grow.
  template <class F>
  auto with_run(F&& f) {
    const std::shared_lock lock(growth_);
    return f(run());
  }

  /// Takes what a recording that grows has got since; false if nothing.
  bool poll();
  bool is_live() const { return follower_ && is_live_; }

  /// Builds the index of the timeline.
  void prepare();

 private:
  const Run& run() const { return follower_ ? follower_->run() : *run_; }
  void begin();

  std::string name_;
  std::unique_ptr<Run> run_;
  std::optional<RunFollower> follower_;
  unsigned threads_;
  Progress& progress_;
  bool is_live_ = false;
  std::uint64_t generation_ = 0;
  std::shared_mutex growth_;  ///< exclusive while the run grows
  std::unique_ptr<RunDocuments> documents_;
  DocumentCache cache_;
  std::mutex queries_;  ///< one at a time
  std::unique_ptr<sql::Session> session_;
};

}  // namespace tactus::serve

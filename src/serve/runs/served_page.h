#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/temporary_path.h"
#include "serve/documents/page_input.h"
#include "serve/runs/served_run.h"

namespace tactus::serve {

/// Everything that a server shows: runs, which may be added while it runs, and documents of other
/// inputs. Calls may come from any thread.
class ServedPage {
 public:
  ServedPage(unsigned threads, Progress& progress);
  ~ServedPage();
  ServedPage(const ServedPage&) = delete;
  ServedPage& operator=(const ServedPage&) = delete;

  /// Makes the folder for what is uploaded; it goes away with this object, and by signals.
  Status make_folder();
  const std::string& folder() const { return folder_->path(); }

  /// Opens an input; `name` is what people see. A recording that is not finished is followed.
  Status open(const std::string& path, const std::string& name);

  /// A document by its name: "runs", "run/0/kernels?phase=decode", "compare".
  Result<std::shared_ptr<const CachedDocument>> get(std::string_view name);

  Result<std::string> query(std::size_t run, const std::string& text);

  std::size_t size();

  /// Takes what recordings that grow have got since.
  void poll();
  /// Does that every second, on a thread of its own, which also prepares the overviews.
  void follow();

 private:
  std::shared_ptr<ServedRun> run_at(std::size_t index);
  std::shared_ptr<const CachedDocument> runs_document();
  Result<std::shared_ptr<const CachedDocument>> comparison(const Query& query);

  unsigned threads_;
  Progress& progress_;
  std::unique_ptr<TemporaryPath> folder_;
  std::mutex mutex_;  ///< of the lists
  std::vector<std::shared_ptr<ServedRun>> runs_;
  DocumentCache others_;
  std::mutex stop_mutex_;
  std::condition_variable stop_;
  bool is_stopping_ = false;
  std::thread follower_;
};

}  // namespace tactus::serve

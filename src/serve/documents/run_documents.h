#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "cycles/cycles.h"
#include "page/kernel_answer.h"
#include "page/slice_index.h"
#include "page/timeline.h"
#include "run/run.h"
#include "serve/documents/query.h"
#include "views/page/page_html.h"
#include "views/page/page_json.h"

namespace tactus::serve {

struct DocumentOptions {
  unsigned threads = 1;
  bool tiles = false;  ///< slices are asked for by segment
  /// Slices of a page that is a file; of more, some are merged.
  std::size_t most_slices = 1'500'000;
};

/// The documents of one run, made when they are first asked for. Calls may come from any thread.
class RunDocuments {
 public:
  /// The run must outlive it. `name` is that of its file, without the folder.
  RunDocuments(const Run& run, std::string name, const DocumentOptions& options,
               Progress& progress);

  /// "trace", "table" or "patterns".
  std::string kind() const;
  PageRun in_list() const;

  /// The names of all documents that a page in one file holds, with their queries.
  std::vector<std::string> names();

  /// A document by its name behind run/N/. An unknown one is a usage error.
  Result<PageDocument> make(const DocumentName& name);

  /// Builds what tiles need.
  void prepare() { index(); }

 private:
  const KernelAnswer& kernels() { return kernels_.all(); }
  const Result<Cycles>& cycles();
  const page::SliceIndex& index();
  const page::Timeline& timeline();
  const page::WholeSlices& whole();

  Result<std::string> kernels_json(const Query& query);
  std::string modules_json();
  Result<std::string> cycles_json();
  Result<std::string> ranks_json();
  std::string overview_json();
  std::string timeline_json();
  Result<std::string> slice_json(const Query& query);
  Result<std::string> search_json(const Query& query);
  Result<std::string> slices(const Query& query);

  /// Who launched a kernel, if the table of kernels was made already.
  std::optional<LaunchSite> known_site(std::uint32_t row);
  bool has_modules();
  std::size_t rank_count() const;

  const Run& run_;
  const std::optional<TimeSpan> span_;  ///< kept, because it takes a look at every slice
  const std::size_t own_slices_;        ///< likewise
  const PageHolds holds_;               ///< likewise
  std::string name_;
  DocumentOptions options_;
  Progress& progress_;
  std::mutex mutex_;  ///< of kernels, which are summed up at the first use
  KernelAnswers kernels_;
  std::optional<Result<Cycles>> cycles_;
  std::unique_ptr<page::SliceIndex> index_;
  std::unique_ptr<page::Timeline> timeline_;
  std::optional<page::WholeSlices> whole_;
  std::mutex cycles_mutex_;
  std::mutex index_mutex_;
  std::mutex timeline_mutex_;  ///< of the timeline and all slices
};

}  // namespace tactus::serve

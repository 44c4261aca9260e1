#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hardware/profile.h"
#include "serve/documents/page_input.h"
#include "serve/documents/run_documents.h"

namespace tactus::serve {

/// All documents of a page that were made from inputs: the list of runs, those of each run, and
/// what belongs to none: compare, opinion, roofline, operators, bench.
class PageContent {
 public:
  PageContent(const DocumentOptions& options, Progress& progress)
      : options_(options), progress_(progress) {}

  /// Adds an input; a run gets the next number.
  void add(PageInput input);

  /// Documents of a page in one file, in an order in which a browser may show them; sentences about
  /// what could not be made go to `warnings`.
  Result<std::vector<PageDocument>> all(std::vector<std::string>& warnings);

  /// The title of a page in one file.
  std::string title() const;
  /// The part that people want to see first.
  std::string first_part() const;

 private:
  struct OpenRun {
    std::string name;
    std::unique_ptr<Run> run;
    std::unique_ptr<RunDocuments> documents;
  };

  Result<PageDocument> comparison();

  DocumentOptions options_;
  Progress& progress_;
  std::vector<OpenRun> runs_;
  std::vector<PageInput> others_;
};

/// Appends the documents of a run that a page in one file holds; what cannot be made gives a
/// sentence. An error only if the run cannot be read.
Status add_run_documents(RunDocuments& documents, const Run& run, std::size_t index,
                         std::vector<PageDocument>& into, std::vector<std::string>& warnings);

/// The comparison of two runs, or of the runs of both sides, as a document.
Result<std::string> comparison_json(const std::array<std::vector<const Run*>, 2>& runs,
                                    const std::array<std::string, 2>& names, unsigned threads);

/// Results of a benchmark: bench, roofline and operators.
std::vector<PageDocument> bench_documents(const BenchResult& result, const Catalogue& catalogue,
                                          const HardwareProfile& hardware);

/// Documents of what is not a run: opinion; bench and roofline; operators and roofline.
Result<std::vector<PageDocument>> other_documents(const PageInput& input, unsigned threads);

}  // namespace tactus::serve

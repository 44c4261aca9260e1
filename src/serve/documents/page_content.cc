#include "serve/documents/page_content.h"

#include <fmt/format.h>

namespace tactus::serve {

void PageContent::add(PageInput input) {
  auto* run = std::get_if<std::unique_ptr<Run>>(&input.content);
  if (run == nullptr) {
    others_.push_back(std::move(input));
    return;
  }
  OpenRun& opened = runs_.emplace_back(OpenRun{input.name, std::move(*run), nullptr});
  opened.documents = std::make_unique<RunDocuments>(*opened.run, opened.name, options_, progress_);
}

std::string PageContent::title() const {
  std::vector<std::string> names;
  for (const OpenRun& run : runs_) names.push_back(run.name);
  for (const PageInput& other : others_) names.push_back(other.name);
  if (runs_.size() == 2 && others_.empty()) return names[1] + " against " + names[0];
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string PageContent::first_part() const {
  if (runs_.size() == 2) return "compare";
  if (!runs_.empty() || others_.empty()) return "overview";
  const auto& content = others_.front().content;
  if (std::holds_alternative<ClassicReportText>(content)) return "opinion";
  if (std::holds_alternative<BenchResult>(content)) return "bench";
  return std::holds_alternative<NamedCatalogue>(content) ? "roofline" : "compare";
}

Status add_run_documents(RunDocuments& documents, const Run& run, std::size_t index,
                         std::vector<PageDocument>& into, std::vector<std::string>& warnings) {
  for (const std::string& part : documents.names()) {
    const Result<DocumentName> name = read_document_name(part);
    if (!name) return name.error();
    Result<PageDocument> made = documents.make(*name);
    if (const Status status = run.status(); !status) return status;
    if (!made) {
      warnings.push_back(documents.in_list().name + ": " + made.error().message);
      continue;
    }
    made->name = fmt::format("run/{}/{}", index, part);
    into.push_back(std::move(*made));
  }
  return {};
}

Result<PageDocument> PageContent::comparison() {
  Result<std::string> text = comparison_json({{{runs_[0].run.get()}, {runs_[1].run.get()}}},
                                             {runs_[0].name, runs_[1].name}, options_.threads);
  if (!text) return text.error();
  return PageDocument{.name = "compare", .is_json = true, .bytes = std::move(*text)};
}

Result<std::vector<PageDocument>> PageContent::all(std::vector<std::string>& warnings) {
  std::vector<PageDocument> documents;
  std::vector<PageRun> list;
  for (const OpenRun& run : runs_) list.push_back(run.documents->in_list());
  documents.push_back({.name = "runs", .is_json = true, .bytes = show_page_runs(list)});
  if (runs_.size() == 2) {
    if (Result<PageDocument> compared = comparison()) {
      documents.push_back(std::move(*compared));
    } else {
      warnings.push_back("The two runs cannot be compared: " + compared.error().message);
    }
  }
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const std::size_t first = documents.size();
    if (Status added =
            add_run_documents(*runs_[i].documents, *runs_[i].run, i, documents, warnings);
        !added) {
      return added.error();
    }
    if (runs_.size() != 1 || !runs_[i].run->kernel_summary) continue;
    for (std::size_t j = first; j < documents.size(); ++j) {
      if (documents[j].name != "run/0/kernels") continue;
      documents.push_back({.name = "table", .is_json = true, .bytes = documents[j].bytes});
      break;
    }
  }
  for (const PageInput& other : others_) {
    Result<std::vector<PageDocument>> made = other_documents(other, options_.threads);
    if (!made) return made.error();
    for (PageDocument& document : *made) documents.push_back(std::move(document));
    if (const auto* catalogue = std::get_if<NamedCatalogue>(&other.content)) {
      warnings.insert(warnings.end(), catalogue->remarks.begin(), catalogue->remarks.end());
    }
  }
  return documents;
}

}  // namespace tactus::serve

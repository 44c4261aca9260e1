#include "serve/documents/page_input.h"

#include <filesystem>

#include "catalogue/published_table.h"
#include "sources/bytes/input_bytes.h"
#include "sources/perf_data/cases.h"
#include "sources/sources.h"

namespace tactus::serve {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestText = 64 << 20;  // [bytes] of what is not a recording

Result<Run> open_run_at(const std::string& path, unsigned threads, Progress& progress) {
  ImportRequest request;
  request.inputs = {path};
  request.threads = threads;
  Result<Imported> imported = open_or_import(request, progress);
  if (!imported) return imported.error();
  return std::move(imported->run);
}

Result<PageInput> open_case(const std::string& path, unsigned threads, Progress& progress) {
  const Result<std::vector<perf_data::CaseFiles>> cases = perf_data::find_cases(path);
  if (!cases) return cases.error();
  if (cases->size() != 1) {
    return usage_error(path + ": holds several cases; a page shows one, give its folder");
  }
  PatternCase opened;
  for (const auto& [files, into] : {std::pair(&cases->front().normal, &opened.normal),
                                    std::pair(&cases->front().abnormal, &opened.abnormal)}) {
    for (const std::string& file : *files) {
      Result<Run> run = open_run_at(file, threads, progress);
      if (!run) return run.error();
      into->push_back(std::make_unique<Run>(std::move(*run)));
    }
  }
  return PageInput{file_name(path), std::move(opened)};
}

/// A document or a text that is not a recording; nothing if it is none that we know.
std::optional<PageInput> read_text(const std::string& path, std::string_view text) {
  const std::string name = file_name(path);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text[first] == '{') {
    if (Result<BenchResult> result = read_bench_result(text, path)) {
      return PageInput{name, std::move(*result)};
    }
    if (Result<Catalogue> catalogue = read_catalogue(text, path)) {
      return PageInput{name, NamedCatalogue{std::move(*catalogue), {}}};
    }
    return std::nullopt;
  }
  if (std::optional<ClassicReportText> report = read_classic_report(text)) {
    return PageInput{name, std::move(*report)};
  }
  if (std::optional<PublishedTable> table = read_published_table(text)) {
    return PageInput{name,
                     NamedCatalogue{std::move(table->catalogue), std::move(table->differences)}};
  }
  return std::nullopt;
}

}  // namespace

std::string file_name(std::string_view path) {
  std::string name = fs::path(path).lexically_normal().filename().string();
  if (name.empty()) name = fs::path(path).lexically_normal().parent_path().filename().string();
  return name.empty() ? std::string(path) : name;
}

Result<PageInput> open_page_input(const std::string& path, unsigned threads, Progress& progress) {
  std::error_code error;
  if (fs::is_directory(path, error) && perf_data::find_cases(path)) {
    return open_case(path, threads, progress);
  }
  Result<Run> run = open_run_at(path, threads, progress);
  if (run && (!run->slices.empty() || run->kernel_summary || run->patterns.rows != 0 ||
              run->counters.rows != 0)) {
    return PageInput{file_name(path), std::make_unique<Run>(std::move(*run))};
  }
  // Results and catalogues are JSON, as traces are, but without events; a classic report may look
  // like a table.
  if (const std::optional<std::string> text = small_text(path, kLargestText)) {
    if (std::optional<PageInput> input = read_text(path, *text)) return std::move(*input);
  }
  if (!run) return run.error();
  return PageInput{file_name(path), std::make_unique<Run>(std::move(*run))};
}

}  // namespace tactus::serve

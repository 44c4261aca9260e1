#include "bench/results/bench_report.h"
#include "bench/results/compact_result.h"
#include "bounds/roofline/baseline.h"
#include "bounds/roofline/roofline.h"
#include "classic/second_opinion/second_opinion.h"
#include "explain/prepare_sides.h"
#include "serve/documents/page_content.h"
#include "views/catalogue/operators_view.h"
#include "views/comparison/comparison_view.h"
#include "views/roofline/roofline_view.h"

namespace tactus::serve {
namespace {

std::vector<const HardwareProfile*> all_machines() {
  std::vector<const HardwareProfile*> machines;
  for (const HardwareProfile& profile : built_in_hardware()) machines.push_back(&profile);
  return machines;
}

/// The roofline of a catalogue in both models, and its operators.
Result<std::vector<PageDocument>> catalogue_documents(const Catalogue& catalogue,
                                                      const std::vector<BaselineTime>& times) {
  const std::vector<const HardwareProfile*> machines = all_machines();
  std::vector<PageDocument> documents;
  for (const CostModel model : {CostModel::kStrict, CostModel::kCatalogue}) {
    const Result<Roofline> roofline = make_roofline(catalogue, machines, times, {.model = model});
    if (!roofline) return roofline.error();
    documents.push_back(
        {.name = model == CostModel::kStrict ? "roofline" : "roofline?model=catalogue",
         .is_json = true,
         .bytes = show_roofline_json(*roofline)});
  }
  documents.push_back({.name = "operators", .is_json = true, .bytes = operators_json(catalogue)});
  return documents;
}

std::vector<const Run*> pointers(const std::vector<std::unique_ptr<Run>>& runs) {
  std::vector<const Run*> out;
  for (const auto& run : runs) out.push_back(run.get());
  return out;
}

}  // namespace

std::vector<PageDocument> bench_documents(const BenchResult& result, const Catalogue& catalogue,
                                          const HardwareProfile& hardware) {
  const BenchReport report = make_bench_report(result, catalogue, hardware);
  return {
      {.name = "bench", .is_json = true, .bytes = compact_result_text(bench_result_text(result))},
      {.name = "roofline", .is_json = true, .bytes = show_roofline_json(report.candidate_roofline)},
      {.name = "operators", .is_json = true, .bytes = operators_json(catalogue)}};
}

Result<std::string> comparison_json(const std::array<std::vector<const Run*>, 2>& runs,
                                    const std::array<std::string, 2>& names, unsigned threads) {
  for (std::size_t which = 0; which < 2; ++which) {
    for (const Run* run : runs[which]) {
      if (!run->slices.empty() || run->patterns.rows != 0) continue;
      return usage_error(names[which] + " holds neither slices nor patterns of cycles");
    }
  }
  Result<PreparedSides> prepared = prepare_sides(runs, {}, threads);
  if (!prepared) return prepared.error();
  const Comparison comparison = compare(prepared->sides[0], prepared->sides[1]);
  for (const auto& side : runs) {
    for (const Run* run : side) {
      if (const Status status = run->status(); !status) return status.error();
    }
  }
  const ComparisonContext context =
      context_of(*runs[0].front(), *runs[1].front(), comparison.labels);
  return show_comparison_json(comparison, context);
}

Result<std::vector<PageDocument>> other_documents(const PageInput& input, unsigned threads) {
  if (const auto* report = std::get_if<ClassicReportText>(&input.content)) {
    return std::vector<PageDocument>{
        {.name = "opinion",
         .is_json = true,
         .bytes = show_comparison_json(second_opinion(*report), context_of(*report))}};
  }
  if (const auto* result = std::get_if<BenchResult>(&input.content)) {
    return bench_documents(*result, built_in_catalogue(), hardware_of_result(*result));
  }
  if (const auto* named = std::get_if<NamedCatalogue>(&input.content)) {
    return catalogue_documents(named->catalogue, {});
  }
  const auto& patterns = std::get<PatternCase>(input.content);
  Result<std::string> text =
      comparison_json({pointers(patterns.normal), pointers(patterns.abnormal)},
                      {input.name + " (normal)", input.name + " (abnormal)"}, threads);
  if (!text) return text.error();
  return std::vector<PageDocument>{{.name = "compare", .is_json = true, .bytes = std::move(*text)}};
}

}  // namespace tactus::serve

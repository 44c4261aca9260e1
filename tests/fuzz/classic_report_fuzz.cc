#include "base/check.h"
#include "classic/second_opinion/second_opinion.h"
#include "support.h"
#include "views/comparison/comparison_view.h"

// A report is pasted text: it is read as it is, and as what follows a title and a table's head.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tactus;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::string table =
      "# Strict Performance Comparison: x\n| Function Name | Suspicion Score |\n" + text;
  for (const std::string& pasted : {text, table}) {
    const std::optional<ClassicReportText> report = read_classic_report(pasted);
    if (!report) continue;
    const Comparison opinion = second_opinion(*report);
    CHECK(!opinion.verdict.text.empty());
    CHECK(!show_comparison_text(opinion, 120).empty());
    CHECK(!show_comparison_json(opinion, context_of(*report)).empty());
  }
  return 0;
}

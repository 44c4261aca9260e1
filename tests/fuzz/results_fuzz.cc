#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "bench/results/bench_report.h"
#include "bench/results/merge_results.h"
#include "views/bench/bench_view.h"

// Results of `tactus bench` that somebody kept, in every form they are shown in.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tactus;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<BenchResult> read = read_bench_result(text, "fuzz");
  if (!read) {
    CHECK(!read.error().message.empty());
    return 0;
  }
  // What was read is written so that it reads the same.
  const std::string written = bench_result_text(*read);
  const Result<BenchResult> again = read_bench_result(written, "written");
  CHECK(again);
  CHECK(bench_result_text(*again) == written);
  const Result<BenchResult> merged = merge_results({*read, *again});
  if (!merged) return 0;
  static const Catalogue catalogue = built_in_catalogue();
  const HardwareProfile hardware = hardware_of_result(*merged);
  const BenchReport report = make_bench_report(*merged, catalogue, hardware);
  bench_text(report, 80);
  bench_markdown(report);
  bench_plot_svg(bench_roofline_plot(report));
  bench_plot_svg(bench_dots_plot(report));
  bench_comparison_text(*read, *merged, 80);
  bench_comparison_json(*read, *merged);
  return 0;
}

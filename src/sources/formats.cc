#include "sources/formats.h"

#include <iterator>
#include <vector>

#include "run/tact/tact_file.h"
#include "sources/counters/counters.h"
#include "sources/kineto/averages_table.h"
#include "sources/kineto/kineto.h"
#include "sources/nsys/database/database.h"
#include "sources/nsys/summary/summary_text.h"
#include "sources/perf_data/perf_data.h"
#include "sources/perfetto/perfetto.h"
#include "sources/rocprof/rocprof.h"

namespace tactus {
namespace {

Status refuse_tact(InputBytes& bytes, const ImportRequest&, RunBuilder&, Progress&) {
  return input_error(bytes.path() +
                     ": is a .tact file already; it cannot be one of several inputs");
}

Status import_database(InputBytes& bytes, const ImportRequest&, RunBuilder& builder,
                       Progress& progress) {
  return nsys::import_database(bytes, builder, progress);
}

Status import_samples(InputBytes& bytes, const ImportRequest&, RunBuilder& builder,
                      Progress& progress) {
  return counters::import(bytes, builder, progress);
}

Status import_patterns(InputBytes& bytes, const ImportRequest&, RunBuilder& builder, Progress&) {
  return perf_data::import_patterns(bytes, builder);
}

Status import_pattern_counters(InputBytes& bytes, const ImportRequest&, RunBuilder& builder,
                               Progress&) {
  return perf_data::import_counters(bytes, builder);
}

Status import_perfetto(InputBytes& bytes, const ImportRequest&, RunBuilder& builder,
                       Progress& progress) {
  return perfetto::import(bytes, builder, progress);
}

Status import_rocprof(InputBytes& bytes, const ImportRequest&, RunBuilder& builder,
                      Progress& progress) {
  return rocprof::import(bytes, builder, progress);
}

Status import_summary(InputBytes& bytes, const ImportRequest& request, RunBuilder& builder,
                      Progress&) {
  if (request.inputs.size() > 1) {
    return input_error(bytes.path() + ": a kernel summary cannot be one of several inputs");
  }
  return nsys::import_summary(bytes, builder);
}

Status refuse_averages(InputBytes& bytes, const ImportRequest&, RunBuilder&, Progress&) {
  return kineto::refuse_averages_table(bytes);
}

Status import_trace(InputBytes& bytes, const ImportRequest& request, RunBuilder& builder,
                    Progress& progress) {
  return kineto::import(bytes, {.threads = request.threads, .window_bytes = request.window_bytes},
                        builder, progress);
}

/// The first that fits is taken: a kernel summary may have notes in front that look like JSON.
constexpr InputFormat kFormats[] = {
    {.stage = InputStage::kRun, .is = is_tact, .import = refuse_tact},
    {.what = "an nsys SQLite export",
     .stage = InputStage::kTrace,
     .is = nsys::is_database,
     .import = import_database},
    {.what = "a trace of Perfetto (.pftrace)",
     .stage = InputStage::kTrace,
     .is = perfetto::is_trace,
     .import = import_perfetto},
    {.what = "counter samples (.csv)",
     .stage = InputStage::kCounters,
     .is = counters::is_samples,
     .import = import_samples},
    {.what = "*_perf_data.csv",
     .stage = InputStage::kPatterns,
     .is = perf_data::is_patterns,
     .import = import_patterns},
    {.stage = InputStage::kCounters,
     .is = perf_data::is_counters,
     .import = import_pattern_counters},
    {.what = "a kernel summary of nsys or nvprof",
     .stage = InputStage::kKernelTable,
     .is = nsys::is_summary,
     .import = import_summary},
    {.stage = InputStage::kKernelTable, .is = kineto::is_averages_table, .import = refuse_averages},
    {.what = "JSON of rocprofv3",
     .stage = InputStage::kTrace,
     .is = rocprof::is_rocprof,
     .import = import_rocprof},
    {.what = "a Chrome or PyTorch trace (.json, .json.gz, .json.zst)",
     .stage = InputStage::kTrace,
     .is = kineto::is_trace,
     .import = import_trace},
};

}  // namespace

const InputFormat* format_of(std::string_view head, std::string_view path) {
  const bool named_patterns = path.ends_with("_perf_data.csv");
  const InputFormat* by_name = nullptr;
  for (const InputFormat& format : kFormats) {
    if (format.is(head)) return &format;
    if (named_patterns && format.is == perf_data::is_patterns) by_name = &format;
  }
  return by_name;
}

std::string all_formats() {
  std::vector<std::string_view> offered;  // the most frequent ones first
  for (auto format = std::rbegin(kFormats); format != std::rend(kFormats); ++format) {
    if (!format->what.empty()) offered.push_back(format->what);
  }
  std::string text(offered.front());
  for (std::size_t i = 1; i < offered.size(); ++i) {
    text.append(i + 1 == offered.size() ? " or " : ", ").append(offered[i]);
  }
  return text;
}

}  // namespace tactus

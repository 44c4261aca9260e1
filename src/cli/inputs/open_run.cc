#include "cli/inputs/open_run.h"

#include <memory>

#include "cli/terminal.h"
#include "sources/sources.h"
#include "views/common/numbers.h"

namespace tactus::cli {

namespace {

Result<Run> open_request(ImportRequest request, const CommonOptions& common) {
  request.threads = thread_count(common);
  const std::unique_ptr<Progress> progress = make_progress(common.quiet);
  Result<Imported> imported = open_or_import(request, *progress);
  if (!imported) return imported.error();
  print_warnings(imported->run, common);
  return std::move(imported->run);
}

/// When the whole run lies, where only a window of it was read.
std::optional<TimeSpan> whole_span(const std::string& input, const CommonOptions& common,
                                   const Run& run) {
  if (const std::optional<TimeSpan> span = run.span()) return span;
  ImportRequest request;
  request.inputs = {input};
  request.threads = thread_count(common);
  const std::unique_ptr<Progress> progress = make_progress(common.quiet);
  const Result<Imported> whole = open_or_import(request, *progress);
  return whole ? whole->run.span() : std::nullopt;
}

}  // namespace

void note_times(const SliceFilter& filter, const std::string& input, const CommonOptions& common,
                Run& run) {
  const std::optional<TimeSpan> asked = filter.window();
  if (!asked || run.kernel_summary || input == "-") return;
  const std::optional<TimeSpan> span = whole_span(input, common, run);
  if (!span || (asked->begin_ns <= span->end_ns && asked->end_ns > span->begin_ns)) return;
  const std::string warning = input + ": nothing of it lies in this time: it begins at " +
                              format_duration(span->begin_ns) + " and ends at " +
                              format_duration(span->end_ns);
  run.warnings.push_back(warning);
  if (!common.quiet) print_error("warning: " + warning);
}

Result<Run> open_for_reading(const std::string& input, const CommonOptions& common,
                             const std::vector<std::string>& captures,
                             const std::optional<TimeSpan>& window,
                             const std::vector<std::string>& counters) {
  ImportRequest request;
  request.inputs = {input};
  request.captures = captures;
  request.counters = counters;
  request.window = window;
  return open_request(std::move(request), common);
}

Result<Run> open_trace(const std::string& input, const CommonOptions& common) {
  return open_traces({input}, common);
}

Result<Run> open_traces(const std::vector<std::string>& inputs, const CommonOptions& common) {
  ImportRequest request;
  request.inputs = inputs;
  Result<Run> run = open_request(std::move(request), common);
  const std::string& input = inputs.front();
  if (!run || !run->slices.empty()) return run;
  if (Status is_trace = guard_summary(*run, input); !is_trace) return is_trace.error();
  return usage_error(input + ": holds no slices; give a trace (.json, .json.gz, .sqlite, .tact)");
}

Status guard_summary(const Run& run, const std::string& input) {
  if (!run.slices.empty()) return {};
  if (run.kernel_summary) {
    return usage_error(input +
                       ": is a table of kernels, which does not say when one ran; give the trace "
                       "that it was made from");
  }
  if (run.patterns.rows != 0) {
    return usage_error(input +
                       ": holds patterns of cycles that were found already; give the trace that "
                       "they were made from");
  }
  return {};
}

}  // namespace tactus::cli

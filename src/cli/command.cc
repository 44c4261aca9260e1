#include "cli/command.h"

#include <cerrno>
#include <cstdio>

#include "base/file.h"
#include "base/parallel.h"
#include "cli/terminal.h"
#include "views/common/numbers.h"
#include "views/common/text_table.h"

namespace tactus::cli {

void FilterOptions::add_to(Options& options) {
  options.add("--device", filter.device, "only the work of this device");
  options.add("--stream", filter.stream, "only the work of this stream");
  options.add("--rank", filter.rank, "only this rank of the job");
  options.add("--pid", filter.pid, "only this process and its device work");
  options.add("--from", from, "only slices that start at or after this time, e.g. 12.5ms")
      .type_name("TIME");
  options.add("--to", to, "only slices that start before this time").type_name("TIME");
}

Result<SliceFilter> FilterOptions::resolve() const {
  SliceFilter resolved = filter;
  const auto read = [](const char* flag, const std::string& text,
                       std::optional<std::int64_t>& into) -> Status {
    if (text.empty()) return {};
    std::int64_t ns = 0;
    if (!parse_duration(text, ns)) {
      return usage_error(std::string(flag) + " " + text +
                         ": is not a time; write 1500 (ns), 20us, 12.5ms or 3s");
    }
    into = ns;
    return {};
  };
  if (Status status = read("--from", from, resolved.from_ns); !status) return status.error();
  if (Status status = read("--to", to, resolved.to_ns); !status) return status.error();
  return resolved;
}

unsigned thread_count(const CommonOptions& common) {
  return common.threads == 0 ? usable_threads() : common.threads;
}

Result<Run> open_for_reading(const std::string& input, const CommonOptions& common,
                             const std::vector<std::string>& captures) {
  ImportRequest request;
  request.inputs = {input};
  request.captures = captures;
  request.threads = thread_count(common);
  const std::unique_ptr<Progress> progress = make_progress(common.quiet);
  Result<Imported> imported = open_or_import(request, *progress);
  if (!imported) return imported.error();
  print_warnings(imported->run, common);
  return std::move(imported->run);
}

Result<Run> open_trace(const std::string& input, const CommonOptions& common) {
  Result<Run> run = open_for_reading(input, common);
  if (!run || !run->slices.empty()) return run;
  if (run->kernel_summary) {
    return usage_error(input +
                       ": is a table of kernels, which does not say when one ran; give the trace "
                       "that it was made from");
  }
  if (run->patterns.rows != 0) {
    return usage_error(input +
                       ": holds patterns of cycles that were found already; give the trace that "
                       "they were made from");
  }
  return usage_error(input + ": holds no slices; give a trace (.json, .json.gz, .sqlite, .tact)");
}

Status print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    return broke_error("standard output: cannot write: " + error_text(errno));
  }
  return {};
}

void print_error(const std::string& message) {
  const std::string line = "tactus: " + printable(message) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void print_warnings(const Run& run, const CommonOptions& common) {
  if (common.quiet) return;
  for (const std::string& warning : run.warnings) print_error("warning: " + warning);
}

}  // namespace tactus::cli

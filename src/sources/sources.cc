#include "sources/sources.h"

#include <algorithm>

#include "run/builder.h"
#include "run/tact/tact_file.h"
#include "sources/bytes/input_bytes.h"
#include "sources/counters/counters.h"
#include "sources/inputs.h"
#include "sources/kineto/kineto.h"
#include "sources/nsys/database/database.h"
#include "sources/nsys/summary/summary_text.h"
#include "sources/perf_data/perf_data.h"

namespace tactus {
namespace {

class Importer {
 public:
  Importer(const ImportRequest& request, Progress& progress)
      : request_(request), progress_(progress) {}

  Status add(const std::string& path) {
    Result<std::unique_ptr<InputBytes>> opened = InputBytes::open(path);
    if (!opened) return opened.error();
    InputBytes& bytes = **opened;
    const Result<std::string_view> head = bytes.peek();
    if (!head) return head.error();
    if (head->empty()) return input_error(bytes.path() + ": is empty");
    const std::size_t sources_before = builder_.run().sources.size();
    const InputFormat format = format_of(*head, path);
    const Status added = add(path, bytes, format);
    if (!added) return added;
    bytes_read_ += format == InputFormat::kNsysDatabase ? bytes.disk_size() : bytes.disk_bytes();
    for (std::size_t i = sources_before; i < builder_.run().sources.size(); ++i) {
      Source& source = builder_.run().sources[i];
      if (!source.rank) source.rank = rank_in_name(path);
    }
    return {};
  }

  void begin_captures() { builder_.begin_captures(); }
  Imported finish() { return {builder_.finish(), bytes_read_}; }

 private:
  Status add(const std::string& path, InputBytes& bytes, InputFormat format) {
    switch (format) {
      case InputFormat::kTrace:
        return kineto::import(bytes,
                              {.threads = request_.threads, .window_bytes = request_.window_bytes},
                              builder_, progress_);
      case InputFormat::kNsysDatabase:
        if (bytes.disk_size() == 0 || path == "-") {
          return input_error(bytes.path() + ": a SQLite export must be given as a file");
        }
        return nsys::import_database(path, builder_, progress_);
      case InputFormat::kNsysSummary:
        if (request_.inputs.size() > 1) {
          return input_error(bytes.path() + ": a kernel summary cannot be one of several inputs");
        }
        return nsys::import_summary(bytes, builder_);
      case InputFormat::kPatterns: return perf_data::import_patterns(bytes, builder_);
      case InputFormat::kPatternCounters: return perf_data::import_counters(bytes, builder_);
      case InputFormat::kCounterSamples: return counters::import(bytes, builder_, progress_);
      case InputFormat::kTact:
        return input_error(bytes.path() +
                           ": is a .tact file already; it cannot be one of several inputs");
      case InputFormat::kUnknown: break;
    }
    return input_error(bytes.path() +
                       ": is in no format that tactus reads: a Chrome or PyTorch trace (.json, "
                       ".json.gz, .json.zst), an nsys SQLite export, an nsys kernel summary, "
                       "*_perf_data.csv or counter samples (.csv)");
  }

  const ImportRequest& request_;
  Progress& progress_;
  RunBuilder builder_;
  std::uint64_t bytes_read_ = 0;
};

}  // namespace

Result<Imported> import_run(const ImportRequest& request, Progress& progress) {
  const Result<std::vector<std::string>> inputs = expand_folders(request.inputs);
  if (!inputs) return inputs.error();
  std::vector<std::string> files = *inputs;
  const auto add_once = [&](const std::string& path) {
    if (std::find(files.begin(), files.end(), path) == files.end()) files.push_back(path);
  };
  for (const std::string& path : request.counters) add_once(path);
  for (const std::string& path : *inputs) {
    if (const std::optional<std::string> beside = counters_beside(path)) add_once(*beside);
  }
  Importer importer(request, progress);
  for (const std::string& path : files) {
    if (Status added = importer.add(path); !added) return added.error();
  }
  if (!request.captures.empty()) importer.begin_captures();
  for (const std::string& path : request.captures) {
    if (Status added = importer.add(path); !added) return added.error();
  }
  return importer.finish();
}

Result<Imported> open_or_import(const ImportRequest& request, Progress& progress) {
  if (request.inputs.size() == 1 && request.inputs.front() != "-" && request.counters.empty()) {
    const std::string& path = request.inputs.front();
    const Result<File> file = File::open_for_reading(path);
    std::string head(4, '\0');
    if (file && file->read_at(0, head.data(), head.size(), path) && is_tact(head)) {
      if (!request.captures.empty()) {
        return usage_error(path +
                           ": a capture has to be given when the file is made: tactus import "
                           "TRACE --capture CAPTURE -o " +
                           path);
      }
      Result<Run> run = open_run(path, request.threads);
      if (!run) return run.error();
      const Result<std::uint64_t> size = file->size(path);
      return Imported{std::move(*run), size ? *size : 0};
    }
  }
  return import_run(request, progress);
}

}  // namespace tactus

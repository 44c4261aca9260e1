#include "sources/sources.h"

#include <algorithm>

#include "run/builder.h"
#include "run/tact/tact_file.h"
#include "sources/formats.h"
#include "sources/inputs.h"

namespace tactus {
namespace {

class Importer {
 public:
  Importer(const ImportRequest& request, Progress& progress)
      : request_(request), progress_(progress) {}

  /// Reads an input and closes it.
  Status add(Input input) {
    if (Status opened = input.open(); !opened) return opened;
    InputBytes& bytes = *input.bytes;
    const Result<std::string_view> head = bytes.peek();
    if (!head) return head.error();
    if (head->empty()) {
      return input_error(bytes.problem().empty() ? bytes.path() + ": is empty" : bytes.problem());
    }
    if (input.format == nullptr) {
      return input_error(bytes.path() + ": is not in a format that tactus reads: " + all_formats());
    }
    const InputFormat& format = *input.format;
    if (format.needs_file && (bytes.disk_size() == 0 || input.path == "-")) {
      return input_error(bytes.path() + ": " + std::string(format.what) +
                         " must be given as a file");
    }
    const std::size_t sources_before = builder_.run().sources.size();
    if (Status added = format.import(bytes, request_, builder_, progress_); !added) return added;
    bytes_read_ += format.needs_file ? bytes.disk_size() : bytes.disk_bytes();
    for (std::size_t i = sources_before; i < builder_.run().sources.size(); ++i) {
      Source& source = builder_.run().sources[i];
      if (!source.rank) source.rank = rank_in_name(input.path);
    }
    return {};
  }

  void begin_captures() { builder_.begin_captures(); }
  Imported finish() { return {builder_.finish(), bytes_read_}; }

 private:
  const ImportRequest& request_;
  Progress& progress_;
  RunBuilder builder_;
  std::uint64_t bytes_read_ = 0;
};

Result<Imported> import_inputs(std::vector<Input> inputs, const ImportRequest& request,
                               Progress& progress) {
  const std::size_t given = inputs.size();
  const auto add_once = [&](const std::string& path) {
    const auto is_it = [&](const Input& input) { return input.path == path; };
    if (std::none_of(inputs.begin(), inputs.end(), is_it)) inputs.push_back({.path = path});
  };
  for (const std::string& path : request.counters) add_once(path);
  for (std::size_t i = 0; i < given; ++i) {
    if (const auto beside = counters_beside(inputs[i].path)) add_once(*beside);
  }
  Importer importer(request, progress);
  for (Input& input : inputs) {
    if (Status added = importer.add(std::move(input)); !added) return added.error();
  }
  if (!request.captures.empty()) importer.begin_captures();
  for (const std::string& path : request.captures) {
    if (Status added = importer.add({.path = path}); !added) return added.error();
  }
  return importer.finish();
}

/// A `.tact` file that lies on disk; nothing else can be opened without reading it.
Result<Imported> open_tact(Input& input, File file, const ImportRequest& request) {
  if (!request.captures.empty()) {
    return usage_error(input.path +
                       ": give the capture when you make the file: tactus import "
                       "TRACE --capture CAPTURE -o " +
                       input.path);
  }
  Result<Run> run = open_run(std::move(file), input.path, request.threads);
  if (!run) return run.error();
  return Imported{std::move(*run), input.bytes->disk_size()};
}

}  // namespace

Result<Imported> import_run(const ImportRequest& request, Progress& progress) {
  Result<std::vector<Input>> inputs = expand_folders(request.inputs);
  if (!inputs) return inputs.error();
  return import_inputs(std::move(*inputs), request, progress);
}

Result<Imported> open_or_import(const ImportRequest& request, Progress& progress) {
  Result<std::vector<Input>> inputs = expand_folders(request.inputs);
  if (!inputs) return inputs.error();
  if (inputs->size() == 1 && inputs->front().path != "-" && request.counters.empty()) {
    Input& input = inputs->front();
    if (Status opened = input.open(); !opened) return opened.error();
    if (input.format != nullptr && input.format->stage == InputStage::kRun) {
      if (std::optional<File> file = input.bytes->take_file()) {
        return open_tact(input, std::move(*file), request);
      }
    }
  }
  return import_inputs(std::move(*inputs), request, progress);
}

}  // namespace tactus

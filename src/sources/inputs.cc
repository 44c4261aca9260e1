#include "sources/inputs.h"

#include <algorithm>
#include <filesystem>

#include "sources/bytes/input_bytes.h"
#include "sources/kineto/kineto.h"

namespace tactus {
namespace {

namespace fs = std::filesystem;

/// A folder may hold more files than can be open at once; those beyond are opened again.
constexpr std::size_t kKeptOpen = 64;

/// False for JSON whose beginning shows no events: in a folder it need not be a trace.
bool is_input_of_folder(Input& input) {
  if (!input.open() || input.format == nullptr) return false;
  if (input.format->is != kineto::is_trace) return true;
  const Result<std::string_view> head = input.bytes->peek();
  return head && (head->find("\"traceEvents\"") != std::string_view::npos ||
                  head->find("\"ph\"") != std::string_view::npos);
}

bool has_input_name(const fs::path& path) {
  const std::string name = path.filename().string();
  static constexpr std::string_view kEndings[] = {
      ".json",   ".json.gz", ".json.zst",       ".sqlite",        ".csv",
      ".csv.gz", ".txt",     ".tsv",            ".pftrace",       ".pftrace.gz",
      ".pftrace.zst", ".perfetto-trace", ".perfetto-trace.gz"};
  return std::any_of(std::begin(kEndings), std::end(kEndings),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

Result<std::vector<Input>> inputs_in(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->is_regular_file(error) && has_input_name(at->path())) {
      files.push_back(at->path().string());
    }
  }
  if (error) return input_error(folder + ": cannot read the folder: " + error.message());
  std::sort(files.begin(), files.end());

  std::vector<Input> inputs;
  for (std::string& file : files) {
    Input input{.path = std::move(file)};
    if (!is_input_of_folder(input)) continue;
    if (inputs.size() >= kKeptOpen) input.bytes.reset();
    inputs.push_back(std::move(input));
  }
  for (const InputStage stage : {InputStage::kTrace, InputStage::kPatterns,
                                 InputStage::kKernelTable, InputStage::kCounters}) {
    std::vector<Input> found;
    for (Input& input : inputs) {
      if (input.format->stage != stage) continue;
      found.push_back(std::move(input));
    }
    if (!found.empty()) return found;
  }
  return input_error(folder +
                     ": no recording in this folder; give a trace (.json, .json.gz, .json.zst), "
                     "an nsys .sqlite export, or a folder of them");
}

}  // namespace

Status Input::open() {
  if (bytes) return {};
  Result<std::unique_ptr<InputBytes>> opened = InputBytes::open(path);
  if (!opened) return opened.error();
  const Result<std::string_view> head = (*opened)->peek();
  if (!head) return head.error();
  format = format_of(*head, path);
  bytes = std::move(*opened);
  return {};
}

Result<std::vector<Input>> expand_folders(const std::vector<std::string>& inputs) {
  std::vector<Input> files;
  for (const std::string& input : inputs) {
    std::error_code error;
    if (input == "-" || !fs::is_directory(input, error)) {
      files.push_back({.path = input});
      continue;
    }
    Result<std::vector<Input>> found = inputs_in(input);
    if (!found) return found.error();
    std::move(found->begin(), found->end(), std::back_inserter(files));
  }
  return files;
}

std::optional<std::string> counters_beside(const std::string& input) {
  std::vector<std::string> candidates;
  for (const std::string_view ending : {".json", ".json.gz", ".json.zst"}) {
    if (!input.ends_with(ending)) continue;
    const std::string stem = input.substr(0, input.size() - ending.size());
    candidates = {stem + ".counters.csv.gz", stem + ".counters.csv"};
  }
  static constexpr std::string_view kPatterns = "_perf_data.csv";
  if (input.ends_with(kPatterns)) {
    candidates = {input.substr(0, input.size() - kPatterns.size()) + "_counters_data.csv"};
  }
  std::error_code error;
  for (const std::string& candidate : candidates) {
    if (fs::is_regular_file(candidate, error)) return candidate;
  }
  return std::nullopt;
}

}  // namespace tactus

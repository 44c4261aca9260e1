#include "sources/inputs.h"

#include <algorithm>
#include <filesystem>

#include "sources/bytes/input_bytes.h"
#include "sources/kineto/kineto.h"

namespace tactus {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTraceEndings[] = {".json", ".json.gz", ".json.zst"};

/// The name without an ending of traces; nothing if it has none.
std::optional<std::string> stem_of_trace(const std::string& path) {
  for (const std::string_view ending : kTraceEndings) {
    if (path.ends_with(ending)) return path.substr(0, path.size() - ending.size());
  }
  return std::nullopt;
}

/// Traces that belong to another one of the same folder: of a graph's capture, and the copy of its
/// trace that JAX makes for ui.perfetto.dev.
bool belongs_to_another(const std::string& path, const std::vector<std::string>& files) {
  const auto is_there = [&](const std::string& stem) {
    return std::any_of(std::begin(kTraceEndings), std::end(kTraceEndings), [&](auto ending) {
      return std::binary_search(files.begin(), files.end(), stem + std::string(ending));
    });
  };
  const std::optional<std::string> stem = stem_of_trace(path);
  static constexpr std::string_view kCapture = ".capture";
  if (stem && stem->ends_with(kCapture)) {
    return is_there(stem->substr(0, stem->size() - kCapture.size()));
  }
  if (fs::path(path).filename() != "perfetto_trace.json.gz") return false;
  return std::any_of(files.begin(), files.end(),
                     [](const std::string& file) { return file.ends_with(".trace.json.gz"); });
}

/// The newest recording that jax.profiler left in its folder (plugins/profile/DATE).
std::optional<std::string> jax_folder(const std::string& folder) {
  std::error_code error;
  std::string newest;
  const fs::path profiles = fs::path(folder) / "plugins" / "profile";
  for (fs::directory_iterator at(profiles, error), end; !error && at != end; at.increment(error)) {
    if (at->is_directory(error)) newest = std::max(newest, at->path().string());
  }
  if (newest.empty()) return std::nullopt;
  return newest;
}

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
  static constexpr std::string_view kEndings[] = {".json",
                                                  ".json.gz",
                                                  ".json.zst",
                                                  ".sqlite",
                                                  ".csv",
                                                  ".csv.gz",
                                                  ".txt",
                                                  ".tsv",
                                                  ".pftrace",
                                                  ".pftrace.gz",
                                                  ".pftrace.zst",
                                                  ".perfetto-trace",
                                                  ".perfetto-trace.gz"};
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
  for (const std::string& file : files) {
    if (belongs_to_another(file, files)) continue;
    Input input{.path = file};
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
  if (const std::optional<std::string> jax = jax_folder(folder)) return inputs_in(*jax);
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

std::optional<std::string> capture_beside(const std::string& input) {
  const std::optional<std::string> stem = stem_of_trace(input);
  std::error_code error;
  for (const std::string_view ending : kTraceEndings) {
    if (!stem) break;
    std::string candidate = *stem + ".capture" + std::string(ending);
    if (fs::is_regular_file(candidate, error)) return candidate;
  }
  return std::nullopt;
}

std::string advice_for_report(std::string_view path, std::string_view head) {
  const auto dot = path.rfind('.');
  const std::string_view ending = dot == std::string_view::npos ? "" : path.substr(dot);
  const std::string stem(path.substr(0, dot));
  const std::string file(path);
  if (ending == ".nsys-rep" || ending == ".qdrep") {
    return file + ": is a report of Nsight Systems; export it: nsys export --type sqlite " + file +
           ", then give " + stem + ".sqlite";
  }
  if (ending == ".ncu-rep" || head.starts_with(std::string_view("NVR\0", 4))) {
    return file +
           ": is a report of Nsight Compute, which has no timeline; record one with nsys profile, "
           "export it: nsys export --type sqlite REPORT.nsys-rep, then give REPORT.sqlite";
  }
  if (head.find("| dtype | Shapes | Importance |") != std::string_view::npos) {
    return file + ": is a text with a table of operators, not a recording; tactus report " + file +
           " -o page.html shows it, tactus roofline has its figures";
  }
  return {};
}

std::string advice_for_document(std::string_view path, std::string_view head) {
  const std::string file(path);
  const auto says = [&](std::string_view text) {
    return head.find(text) != std::string_view::npos;
  };
  if (says("\"format\": \"tactus catalogue") || says("\"format\":\"tactus catalogue")) {
    return file + ": is a catalogue of operators, not a recording; tactus report " + file +
           " -o page.html shows it, tactus bench and roofline take it with --catalogue";
  }
  if (says("\"format\": \"tactus bench") || says("\"format\":\"tactus bench")) {
    return file + ": is a result of tactus bench, not a recording; tactus bench --show " + file +
           " prints it";
  }
  return {};
}

std::optional<std::string> counters_beside(const std::string& input) {
  std::vector<std::string> candidates;
  if (const std::optional<std::string> stem = stem_of_trace(input)) {
    candidates = {*stem + ".counters.csv.gz", *stem + ".counters.csv"};
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

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sources/bytes/input_bytes.h"
#include "sources/formats.h"

namespace tactus {

/// An input as it was given or found. It is opened once: the bytes that tell its format are the
/// first of those that are read.
struct Input {
  std::string path;
  std::string beside;                 ///< the path of the input that these counters were found with
  std::optional<std::size_t> number;  ///< among the inputs that were given; none for others
  bool is_for_counters = false;       ///< given as counters: nothing else is read
  std::unique_ptr<InputBytes> bytes;  ///< null as long as nothing had to be known of it
  const InputFormat* format = nullptr;  ///< null if it is not open, or no format fits

  /// Opens it, unless it is open, and looks at its format.
  Status open();
};

/// Folders replaced by the inputs in them, in the order of their names; "-" and files stay. Of a
/// folder with inputs of several stages, the earliest is taken: traces, else patterns, else tables.
Result<std::vector<Input>> expand_folders(const std::vector<std::string>& inputs);

/// The trace of a graph's capture beside a trace that replays it: X.capture.json[.gz|.zst] beside
/// X.json[.gz|.zst].
std::optional<std::string> capture_beside(const std::string& input);

/// What to do with a report that only its own tools read, by its name or first bytes; empty if it
/// is not one.
std::string advice_for_report(std::string_view path, std::string_view head);

/// The command for one of our own documents that is no recording, by its first bytes; empty if it
/// is not one.
std::string advice_for_document(std::string_view path, std::string_view head);

/// The counters beside an input: X.counters.csv[.gz] beside X.json[.gz|.zst] and
/// X_counters_data.csv beside X_perf_data.csv.
std::optional<std::string> counters_beside(const std::string& input);

}  // namespace tactus

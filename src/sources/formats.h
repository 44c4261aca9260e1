#pragma once

#include <string>
#include <string_view>

#include "base/progress.h"
#include "run/builder.h"
#include "sources/bytes/input_bytes.h"
#include "sources/sources.h"

namespace tactus {

/// How far a format has already summed up what was recorded; of a folder, the earliest stage that
/// it holds is taken.
enum class InputStage : unsigned char { kTrace, kPatterns, kKernelTable, kCounters, kRun };

/// An input format. A new format is one folder beside this file and one entry in formats.cc.
struct InputFormat {
  std::string_view what;  ///< for messages: "an nsys SQLite export"; empty: they do not offer it
  InputStage stage = InputStage::kTrace;
  /// True if the first bytes of an input are in this format.
  bool (*is)(std::string_view head) = nullptr;
  Status (*import)(InputBytes& bytes, const ImportRequest& request, RunBuilder& builder,
                   Progress& progress) = nullptr;
};

/// By its first bytes; a CSV file with missing columns, by its name. Null if no format fits.
const InputFormat* format_of(std::string_view head, std::string_view path);

/// "a Chrome or PyTorch trace (.json, .json.gz, .json.zst), ... or an nsys SQLite export".
std::string all_formats();

}  // namespace tactus

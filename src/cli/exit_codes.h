#pragma once

#include "base/result.h"

namespace tactus::cli {

// What scripts go by; docs and `tactus man` say the same.
inline constexpr int kDone = 0;
inline constexpr int kGateFailed = 1;    ///< answered, and a gate that was asked for failed
inline constexpr int kUsageOrInput = 2;  ///< a mistake on the command line, or in the input
inline constexpr int kBroke = 3;         ///< disk full, device lost
inline constexpr int kNotJudged = 4;     ///< a gate was asked for, and could not be judged

// Of `record -- COMMAND`, which else ends with the code of the command.
inline constexpr int kRecordingFailed = 125;
inline constexpr int kCommandCannotRun = 126;
inline constexpr int kCommandNotFound = 127;

/// What ends `record`, `gate` or `drill` that could not do its work. As `env` and `timeout` do: 127
/// and 126 are about the command, 125 about this program; 2 stays what it is everywhere.
inline int code_of_failed_start(const Error& error) {
  if (error.message.starts_with("cannot run ")) {
    return error.code == ErrorCode::kInput ? kCommandNotFound : kCommandCannotRun;
  }
  return error.code == ErrorCode::kUsage ? kUsageOrInput : kRecordingFailed;
}

}  // namespace tactus::cli

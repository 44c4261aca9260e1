#pragma once

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

}  // namespace tactus::cli

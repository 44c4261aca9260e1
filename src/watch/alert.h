#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "watch/episode.h"
#include "watch/latency_model.h"

namespace tactus::watch {

/// What is told about an episode that became an alert.
struct Alert {
  std::uint64_t number = 0;  ///< counts the alerts of a watch
  std::string stream;
  std::optional<std::int64_t> rank;
  Phase phase = Phase::kUnknown;
  ModelKind model = ModelKind::kDecode;
  Episode episode;
  double predicted_us = 0;  ///< of the step that raised it
  double actual_us = 0;
  bool has_ended = false;
  // Filled in where there are recordings.
  std::string cause;       ///< class of the verdict, as `compare` names it; empty if unknown
  std::string verdict;     ///< its sentence
  std::string recording;   ///< the kept .tact; empty without --keep
  std::string normal;      ///< the steps before it
  std::string comparison;  ///< JSON of the whole comparison
  std::string command;     ///< to see more; empty if there is none
};

}  // namespace tactus::watch

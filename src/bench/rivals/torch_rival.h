#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/bench.h"

namespace tactus {

/// What PyTorch (and its libraries) should measure.
struct TorchQuestion {
  std::string python;  ///< the program; empty: python3 on the PATH
  int device = 0;
  double seconds = 0.3;      ///< time budget per shape
  double limit_seconds = 0;  ///< time budget for everything; 0: no limit
  double patience_s = 240;   ///< silence after which it counts as hanging
  std::vector<BenchTask> tasks;
};

/// One line of benchmarks/rivals/torch_operators.py.
struct TorchAnswer {
  std::string operator_name;
  std::string shape_id;
  RivalMeasurement measurement;
};

struct TorchOutcome {
  std::size_t answers = 0;
  std::string complaint;  ///< a line for the user if something went wrong; may be empty
};

/// Runs the rivals of all tasks in one process and reports answers as they come; `folder` takes its
/// files. Problems of that process are not our errors: a crash, a hang or a Python without torch is
/// a complaint, and earlier answers count.
TorchOutcome ask_torch(const TorchQuestion& question, const std::string& folder,
                       const std::function<void(TorchAnswer)>& answered);

/// Adds it to the row; the row's rival is the fastest one that computes the same.
void add_rival(BenchRow& row, RivalMeasurement measurement);

}  // namespace tactus

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/bench.h"

namespace tactus {

/// What to ask PyTorch (and the libraries behind it) for.
struct TorchQuestion {
  std::string python;  ///< the program; empty: python3 of the PATH
  int device = 0;
  double seconds = 0.3;      ///< to time a shape at most
  double limit_seconds = 0;  ///< for everything; 0: no limit
  double patience_s = 240;   ///< without an answer: it hangs
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
  std::string complaint;  ///< a line for the user where not everything went well; may be empty
};

/// Runs the rivals of all tasks in one process, answers as they come; `folder` takes its files.
/// Nothing that such a process does is an error of ours: a crash, a hang or a Python without torch
/// is a complaint, and what was answered before counts.
TorchOutcome ask_torch(const TorchQuestion& question, const std::string& folder,
                       const std::function<void(TorchAnswer)>& answered);

/// Adds it to the row; the fastest that was timed and does not compute something else is its rival.
void add_rival(BenchRow& row, RivalMeasurement measurement);

}  // namespace tactus

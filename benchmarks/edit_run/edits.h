#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cycles/phases/phase.h"
#include "names/kernel_name.h"

namespace tactus::edit_run {

/// A factor on the durations of device work. Conditions that are not set take all of it.
struct WorkEdit {
  std::string text;  ///< as it was typed
  double factor = 1;
  bool of_copies = false;  ///< of copies instead of kernels
  std::optional<Family> family;
  std::optional<Phase> phase;
  std::optional<std::int64_t> rank;
  std::optional<std::int64_t> from_step;
};

struct Stall {
  std::int64_t every = 1;  ///< step
  std::int64_t sleep_ns = 0;
};

struct Rename {
  std::string from;
  std::string to;
};

struct CounterEdit {
  std::string name;
  double factor = 1;
};

/// Steps [from, to), counted from 0 in each process.
struct StepBlock {
  std::int64_t from = 0;
  std::int64_t to = INT64_MAX;
};

/// What is to be changed.
struct Edits {
  std::vector<std::string> texts;  ///< as they were typed
  std::vector<WorkEdit> work;
  double gaps = 1;
  double launches = 1;
  std::vector<double> drifts;
  std::vector<Stall> stalls;
  std::vector<Rename> renames;       ///< of kernels
  std::vector<Rename> text_renames;  ///< of all texts
  std::vector<CounterEdit> counters;
  std::int64_t offset_ns = 0;
  bool has_new_ids = false;
  bool drops_shapes = false;
  bool drops_host = false;
  bool drops_counters = false;
  std::optional<StepBlock> block;

  bool needs_host() const {
    return gaps != 1 || launches != 1 || !drifts.empty() || !stalls.empty();
  }
};

/// Adds one edit: "kernels=1.1", "family=gemm:2", "no_host".
Status add_edit(std::string_view text, Edits& edits);

/// "10:20"; either side may be empty.
Result<StepBlock> parse_block(std::string_view text);

}  // namespace tactus::edit_run

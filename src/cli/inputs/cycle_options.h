#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/inputs/filter_options.h"
#include "cycles/cycles.h"

namespace tactus::cli {

/// The values of --phase.
inline const std::map<std::string, std::optional<Phase>> kPhaseNames = {
    {"all", std::nullopt},
    {"prefill", Phase::kPrefill},
    {"decode", Phase::kDecode},
    {"mixed", Phase::kMixed}};

inline const std::vector<std::string> kPhaseChoices = {"prefill", "decode", "mixed", "all"};

/// Which cycles of a run a command is about, as typed.
class CycleOptions {
 public:
  void add_to(Options& options);
  /// Finds them; `input` names the run in errors. The run gets the warnings.
  Result<Cycles> find(const std::string& input, const CommonOptions& common, Run& run) const;

 private:
  std::string anchor_;
  std::string by_ = "token";
  std::string phase_ = "all";
  std::size_t skip_warmup_ = 0;
  FilterOptions filter_;
};

}  // namespace tactus::cli

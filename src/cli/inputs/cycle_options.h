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

/// Which steps a command is about, as typed: --phase and --skip-warmup.
class StepOptions {
 public:
  void add_to(Options& options);
  /// Whether anything was typed.
  bool any() const { return phase_ != "all" || skip_warmup_ != 0; }
  /// Leaves the wanted ones.
  void keep_wanted(Cycles& cycles) const;
  /// The wanted steps of a run; an error if there are none. `input` names the run in errors.
  Result<Cycles> find(const Run& run, const SliceFilter& filter, const std::string& input) const;

 private:
  std::string phase_ = "all";
  std::size_t skip_warmup_ = 0;
};

/// Which cycles of a run a command is about, as typed.
class CycleOptions {
 public:
  void add_to(Options& options);
  /// Finds them; `input` names the run in errors. The run gets the warnings.
  Result<Cycles> find(const std::string& input, const CommonOptions& common, Run& run,
                      bool silence_is_pause = false) const;

 private:
  std::string anchor_;
  std::string by_ = "token";
  StepOptions steps_;
  FilterOptions filter_;
};

}  // namespace tactus::cli

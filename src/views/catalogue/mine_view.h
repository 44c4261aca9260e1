#pragma once

#include <span>
#include <string>

#include "bounds/mining/mine.h"
#include "views/common/json.h"

namespace tactus {

struct MineViewOptions {
  std::size_t top = 0;    ///< shapes shown of each operator; 0 for all
  std::size_t width = 0;  ///< of the terminal; 0 for no limit
};

/// Operators and their most important shapes as a table, and what faster ones would save.
std::string mine_text(const Mined& mined, std::span<const WhatIfAnswer> answers,
                      const MineViewOptions& options);

/// `account` is that of all runs.
std::string mine_json(const Mined& mined, std::span<const WhatIfAnswer> answers,
                      const Account& account);

}  // namespace tactus

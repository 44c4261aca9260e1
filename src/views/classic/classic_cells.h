#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "classic/classic_report.h"

namespace tactus {

/// How a number of the table is shown to people.
enum class ClassicFormat : std::uint8_t {
  kScore,   ///< 4 decimals
  kShare,   ///< 2 decimals
  kChange,  ///< 2 decimals and a sign
  kChance,  ///< 3 decimals
  kLevel,   ///< 2 decimals, grouped by thousands
};

struct ClassicNumber {
  double value = 0;
  ClassicFormat format = ClassicFormat::kScore;
};

/// The 17 heads of the table: three names, then the numbers.
std::vector<std::string> classic_heads(const ClassicReport& report);
std::array<ClassicNumber, 14> classic_numbers(const ClassicRow& row);

/// The report's overview in words: what differs most, and the functions behind it.
std::string classic_findings(const ClassicReport& report);

}  // namespace tactus

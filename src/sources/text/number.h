#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tactus {

/// Without blanks and tabs at either end.
std::string_view trim(std::string_view text);

/// A number as whole numbers.
struct WholeNumber {
  std::int64_t cut = 0;      ///< towards 0
  std::int64_t rounded = 0;  ///< to the nearest, halves away from 0
  bool exact = true;         ///< it was whole already
};

/// A written number ("12", "-1.5", "2.520152e+06") times a power of ten, digit by digit and never
/// through a double. Nothing if it is not a number or does not fit.
std::optional<WholeNumber> read_scaled(std::string_view text, int power_of_ten);

/// A whole number in any form: 7, 7.0 and 0.7e1 are the same.
std::optional<std::int64_t> read_whole(std::string_view text);

}  // namespace tactus

#pragma once

#include <string>
#include <string_view>

namespace tactus {

/// A counter's level with its unit: "6.41%", "1980 MHz", "3.02 GB/s"; without a unit the number
/// alone.
std::string level_words(double value, std::string_view unit);

/// "fell from 3500 MHz to 980 MHz". `how` follows the verb: " at times, on average".
std::string move_words(bool rose, double from, double to, std::string_view unit,
                       std::string_view how = {});

}  // namespace tactus

#pragma once

#include <string>
#include <string_view>

namespace tactus {

/// A counter's level with its unit: "6.41%", "1980 MHz", "3.02 GB/s"; without a unit the number
/// alone.
std::string level_words(double value, std::string_view unit);

/// "fell by a factor of 3.57, from 3500 MHz to 980 MHz". The factor is left out if it differs much
/// from the ratio of the levels, for example if one level is almost 0: it would only confuse.
/// `how` follows the verb: " at times, on average".
std::string move_words(double ratio, double from, double to, std::string_view unit,
                       std::string_view how = {});

}  // namespace tactus

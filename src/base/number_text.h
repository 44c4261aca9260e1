#pragma once

#include <string>

namespace tactus {

/// Appends a number with that many decimals: 1234.50. Infinities are "inf", not-a-number is "nan".
void append_fixed(double value, int decimals, std::string& out);

/// The same, always with a sign: +0.25.
void append_signed(double value, int decimals, std::string& out);

/// Six significant digits, as short as they can be written: 2.36, 92878.5, 2.47865e+13.
void append_short(double value, std::string& out);

}  // namespace tactus

#pragma once

#include <string>

namespace tactus {

/// Appends a number with that many decimals: 1234.50. Infinities are "inf", what is none "nan".
void append_fixed(double value, int decimals, std::string& out);

/// The same with a sign in any case: +0.25.
void append_signed(double value, int decimals, std::string& out);

/// Six significant digits, as short as they can be written: 2.36, 92878.5, 2.47865e+13.
void append_short(double value, std::string& out);

}  // namespace tactus

#pragma once

namespace tactus {

/// A number rounded to decimals as the published page rounds it: the decimal nearest to the exact
/// value of the double; the larger of two equally near ones.
double printed(double value, int decimals);

}  // namespace tactus

#pragma once

namespace tactus {

/// The probability that a standard normal value is above z.
double normal_upper_tail(double z);

/// The z with this share of standard normal values above it; the share is between 0 and 1.
double normal_quantile(double share);

}  // namespace tactus

#pragma once

namespace tactus {

/// The probability that a standard normal value is above z.
double normal_upper_tail(double z);

/// The z with this share of standard normal values below it; the share is between 0 and 1.
double normal_quantile(double share);

/// The chance that Student's t with `freedom` degrees of freedom (which need not be whole) lies as
/// far from 0 as `t` or farther, on either side.
double student_t_two_sided(double t, double freedom);

/// The t with this share of the values above it.
double student_t_quantile(double share, double freedom);

}  // namespace tactus

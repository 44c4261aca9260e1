#pragma once

namespace tactus {

/// The probability that Student's t with `freedom` degrees of freedom (not always whole) is as far
/// from 0 as `t` or further, on either side; to about 12 digits.
double student_t_two_sided(double t, double freedom);

}  // namespace tactus

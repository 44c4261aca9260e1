#pragma once

namespace tactus {

/// The chance that Student's t with `freedom` degrees of freedom (which need not be whole) lies as
/// far from 0 as `t` or farther, on either side; to about 12 digits.
double student_t_two_sided(double t, double freedom);

}  // namespace tactus

#pragma once

namespace tactus {

/// The chance that a standard normal value lies above z.
double normal_upper_tail(double z);

/// The z that lies above a share of standard normal values; the share is between 0 and 1.
double normal_quantile(double share);

}  // namespace tactus

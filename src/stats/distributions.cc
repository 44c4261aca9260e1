#include "stats/distributions.h"

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace tactus {

double normal_upper_tail(double z) {
  return boost::math::cdf(boost::math::complement(boost::math::normal(), z));
}

double normal_quantile(double share) {
  return boost::math::quantile(boost::math::normal(), share);
}

double student_t_two_sided(double t, double freedom) {
  if (std::isnan(t) || std::isnan(freedom) || freedom <= 0) return std::nan("");
  if (std::isinf(t)) return 0;
  return 2 *
         boost::math::cdf(boost::math::complement(boost::math::students_t(freedom), std::abs(t)));
}

double student_t_quantile(double share, double freedom) {
  return boost::math::quantile(boost::math::complement(boost::math::students_t(freedom), share));
}

}  // namespace tactus

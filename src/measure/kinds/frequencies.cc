#include "measure/kinds/frequencies.h"

#include <algorithm>

namespace tactus {

double jaccard(const Frequencies& a, const Frequencies& b) {
  double smaller = 0;
  double larger = 0;
  for (const auto& [name, count] : a) {
    const auto other = b.find(name);
    const double there = other == b.end() ? 0 : other->second;
    smaller += std::min(count, there);
    larger += std::max(count, there);
  }
  for (const auto& [name, count] : b) {
    if (!a.contains(name)) larger += count;
  }
  return larger > 0 ? smaller / larger : 1;
}

}  // namespace tactus

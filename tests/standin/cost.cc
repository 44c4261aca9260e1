// Times of scripted kernels that nobody gave one: from what is launched, as on a GPU, where a
// kernel takes a start and then a time per block.
//   STANDIN_COST=start_us,block_us[,noise]     noise: the spread of the time (ln), drawn per launch
//   STANDIN_SLOWER=text=factor,...             kernels whose name has this text
#include "standin/cost.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <sstream>

namespace standin {
namespace {

struct Cost {
  bool is_set = false;
  double start_us = 0;
  double block_us = 0;
  double noise = 0;
};

const Cost& cost() {
  static const Cost one = [] {
    Cost read;
    const char* text = std::getenv("STANDIN_COST");
    read.is_set = text != nullptr && std::sscanf(text, "%lf,%lf,%lf", &read.start_us,
                                                 &read.block_us, &read.noise) >= 2;
    return read;
  }();
  return one;
}

double slower(const std::string& name) {
  const char* table = std::getenv("STANDIN_SLOWER");
  std::istringstream entries(table != nullptr ? table : "");
  double factor = 1;
  for (std::string entry; std::getline(entries, entry, ',');) {
    const std::size_t equals = entry.rfind('=');
    if (equals == std::string::npos || name.find(entry.substr(0, equals)) == std::string::npos) {
      continue;
    }
    factor *= std::atof(entry.c_str() + equals + 1);
  }
  return factor;
}

double drawn(double spread) {
  if (spread <= 0) return 1;
  static thread_local std::mt19937_64 random(std::random_device{}());
  return std::exp(spread * std::normal_distribution<double>()(random));
}

}  // namespace

void set_cost(Function& function) {
  function.has_cost = cost().is_set;
  function.slower = slower(function.name);
}

bool has_costs() {
  return cost().is_set;
}

std::int64_t duration_of(const Work& work) {
  if (work.kind != Work::kKernel) {
    constexpr double kBytesPerUs = 25'000;  // PCIe of the fourth generation
    return static_cast<std::int64_t>(
        (cost().start_us + static_cast<double>(work.bytes) / kBytesPerUs) * 1000);
  }
  const Function& function = *work.function;
  if (!function.has_cost) return function.duration_ns;
  const double blocks = static_cast<double>(work.grid[0]) * work.grid[1] * work.grid[2];
  const double us = cost().start_us + cost().block_us * blocks;
  return static_cast<std::int64_t>(us * 1000 * function.slower * drawn(cost().noise));
}

}  // namespace standin

// Compares and clusters many generated roles and checks the clusters. Prints one JSON object a job.
// usage: compare_roles [ROLES] [FUNCTIONS] [THREADS]
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <random>
#include <string_view>

#include "base/parallel.h"
#include "classic/roles/roles.h"
#include "run/args/value.h"
#include "run/builder.h"

namespace {

struct Job {
  std::size_t roles = 1'000;
  std::size_t functions = 300;
  std::size_t kinds = 10;  ///< roles of one kind behave alike
  std::size_t cycles = 10;
};

/// A job whose roles are the processes of one run. Roles of different kinds spend their time in
/// different functions.
tactus::Run generate(const Job& job) {
  tactus::RunBuilder builder;
  builder.begin_source("generated_perf_data.csv", "perf_data");
  std::vector<std::int64_t> names;
  for (std::size_t f = 0; f < job.functions; ++f) {
    names.push_back(
        builder.intern(fmt::format("void generated::kernel<{}>(float const*)", f)).value);
  }
  const std::int64_t metric = builder.intern("gpu_usage").value;
  const std::int64_t device = builder.intern("GPU 0").value;
  std::mt19937 random(1);
  const auto decimal = [](double value) {
    return tactus::Decimal::pack(static_cast<std::int64_t>(value * 10'000), 4);
  };
  for (std::size_t role = 0; role < job.roles; ++role) {
    const std::size_t kind = role % job.kinds;
    for (std::size_t cycle = 1; cycle <= job.cycles; ++cycle) {
      for (std::size_t f = 0; f < job.functions; ++f) {
        const double noise = static_cast<double>(random() % 100) / 1'000;
        const double share = 1 + noise + (f == kind % job.functions ? 40.0 + double(kind) : 0);
        std::int64_t row[tactus::Patterns::kSimpleName + 1] = {};
        row[tactus::Patterns::kCycle] = static_cast<std::int64_t>(cycle);
        row[tactus::Patterns::kPid] = static_cast<std::int64_t>(role + 1);
        row[tactus::Patterns::kBetaPct] = decimal(share);
        row[tactus::Patterns::kFunction] = names[f];
        row[tactus::Patterns::kMetric] = metric;
        row[tactus::Patterns::kDevice] = device;
        row[tactus::Patterns::kMuPct] = decimal(50 + noise);
        row[tactus::Patterns::kAnchorDurUs] = decimal(40'000 + double(cycle));
        builder.run().patterns.append(row);
      }
    }
  }
  builder.end_source(0, 0);
  return builder.finish();
}

bool measure(std::string_view name, const Job& job, unsigned threads) {
  const tactus::Run run = generate(job);
  const tactus::PatternFile file{"generated_perf_data.csv", &run};
  const auto begin = std::chrono::steady_clock::now();
  const tactus::RolesComparison comparison =
      tactus::compare_roles({&file, 1}, {.threads = threads});
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  fmt::print(
      "{{\"job\": \"{}\", \"roles\": {}, \"functions\": {}, \"rows\": {}, \"threads\": {}, "
      "\"seconds\": {:.3f}, \"clusters\": {}, \"pairs\": {}}}\n",
      name, job.roles, job.functions, run.patterns.rows, threads, seconds.count(),
      comparison.clusters.size(), comparison.pairs.size());
  return comparison.clusters.size() == job.kinds;
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int place, std::size_t otherwise) {
    return argc > place ? std::strtoul(argv[place], nullptr, 10) : otherwise;
  };
  Job job;
  job.roles = argument(1, job.roles);
  job.functions = argument(2, job.functions);
  const auto threads = static_cast<unsigned>(argument(3, tactus::usable_threads()));
  if (job.roles < job.kinds || job.functions < job.kinds || threads == 0) return 2;
  const bool alike = measure("ten kinds", job, threads);
  job.kinds = job.roles;
  const bool different = measure("all different", job, threads);
  return alike && different ? 0 : 1;
}

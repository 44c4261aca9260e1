// The kernel table, with medians, of a recording's kernels repeated until there are many.
// usage: kernel_table MILLION_KERNELS TRACE
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

#include "base/check.h"
#include "launches/kernel_instances.h"
#include "sources/sources.h"

int main(int argc, char** argv) {
  using namespace tactus;
  if (argc != 3) return 2;
  NoProgress progress;
  const Result<Imported> imported = import_run({.inputs = {argv[2]}}, progress);
  if (!imported) return 2;
  const Run& recorded = imported->run;
  const KernelInstances kernels = kernel_instances(recorded, {});
  if (kernels.size() == 0) return 2;
  Run run;
  for (std::size_t i = 0; i < recorded.strings.size(); ++i) {
    run.strings.intern(recorded.strings[StringId(i)]);
  }
  run.tracks.resize(1);
  run.categories.push_back({run.strings.intern("kernel"), SliceKind::kKernel});
  const auto wanted = static_cast<std::size_t>(std::strtod(argv[1], nullptr) * 1e6);
  for (std::size_t i = 0; i < wanted; ++i) {
    const std::size_t at = i % kernels.size();
    // Other durations each time round, so that no two rounds sort alike.
    const std::int64_t dur = kernels.durs[at] + static_cast<std::int64_t>(i * 2654435761U % 257);
    run.slices.append(static_cast<std::int64_t>(i) * 1000, dur, StringId(kernels.names[at]), 0, 0,
                      ShapeId(0));
  }
  const auto begin = std::chrono::steady_clock::now();
  const KernelTable table = summarise_kernels(run, {});
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::int64_t instances = 0;
  for (const KernelRow& row : table.rows) instances += row.instances;
  CHECK(instances == static_cast<std::int64_t>(wanted));
  fmt::print("{{\"kernels\": {}, \"names\": {}, \"seconds\": {:.4f}}}\n", wanted, table.rows.size(),
             seconds.count());
}

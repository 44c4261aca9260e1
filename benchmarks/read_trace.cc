// A trace into a finished Run, every argument kept; with what it takes in memory.
// usage: read_trace TRACE[.gz|.zst] THREADS [WINDOW_KB]
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>

#include "launches/kernel_instances.h"
#include "sources/kineto/kineto.h"

namespace {

/// A line of /proc/self/status, in bytes.
std::size_t memory(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(key)) return std::stoul(line.substr(key.size() + 1)) * 1024;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace tactus;
  const std::size_t before = memory("VmRSS");
  const auto begin = std::chrono::steady_clock::now();
  Result<std::unique_ptr<InputBytes>> bytes = InputBytes::open(argv[1]);
  CHECK(bytes);
  kineto::ReadOptions options;
  options.threads = static_cast<unsigned>(std::atoi(argv[2]));
  if (argc > 3) options.window_bytes = std::strtoul(argv[3], nullptr, 10) << 10;
  RunBuilder builder;
  NoProgress progress;
  CHECK(kineto::import(**bytes, options, builder, progress));
  const Run run = builder.finish();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;

  const std::size_t peak = memory("VmHWM");
  const std::size_t run_bytes = run.column_bytes() + run.strings.memory_bytes();
  std::int64_t dur_ns = 0;
  run.slices.dur().for_each_piece(0, run.slices.size(), [&](std::size_t, auto values) {
    for (const std::int64_t dur : values) dur_ns += dur;
  });
  const KernelTable kernels = summarise_kernels(run, {});
  fmt::print(
      "{{\"seconds\": {:.6f}, \"slices\": {}, \"dur_us\": {}.{:03}, \"kernel_ns\": {}, "
      "\"column_bytes\": {}, \"string_bytes\": {}, \"peak_above_run\": {}}}\n",
      seconds.count(), run.slices.size(), dur_ns / 1000, dur_ns % 1000, kernels.total_ns,
      run.column_bytes(), run.strings.memory_bytes(),
      static_cast<std::int64_t>(peak - before) - static_cast<std::int64_t>(run_bytes));
}

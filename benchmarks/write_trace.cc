// Time to write a run in a format that other tools read, without reading the run: on the clock, and
// of the processor, which other work on the machine changes less.
// usage: write_trace RUN.tact|TRACE chrome|perfetto|csv OUT ROUNDS
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <string_view>
#include <vector>

#include "sources/sources.h"
#include "views/export/exports.h"

int main(int argc, char** argv) {
  using namespace tactus;
  if (argc != 5 || std::atoi(argv[4]) < 1) {
    fmt::print(stderr, "usage: write_trace RUN.tact|TRACE chrome|perfetto|csv OUT ROUNDS\n");
    return 2;
  }
  NoProgress progress;
  const Result<Imported> imported = open_or_import({.inputs = {argv[1]}, .threads = 2}, progress);
  if (!imported) {
    fmt::print(stderr, "{}\n", imported.error().message);
    return 1;
  }
  const Run& run = imported->run;
  const std::string_view format = argv[2];
  const auto write = format == "chrome"     ? write_chrome
                     : format == "perfetto" ? write_perfetto
                                            : write_csv;
  std::vector<double> seconds, cpu_seconds;
  std::uint64_t bytes = 0;
  for (int round = 0; round <= std::atoi(argv[4]); ++round) {
    Result<OutputFile> file = OutputFile::create(argv[3], true);
    if (!file) return 1;
    const auto begin = std::chrono::steady_clock::now();
    const std::clock_t cpu_begin = std::clock();
    if (!write(run, {}, *file, progress)) return 1;
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    const auto cpu = static_cast<double>(std::clock() - cpu_begin) / CLOCKS_PER_SEC;
    bytes = file->written();
    // The first round reads the columns of a .tact file, too.
    if (round == 0) continue;
    seconds.push_back(took.count());
    cpu_seconds.push_back(cpu);
  }
  const auto median = [](std::vector<double>& values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
  };
  const double megabytes = static_cast<double>(bytes) / 1e6;
  fmt::print("{{\"slices\":{},\"bytes\":{},\"mb_per_s\":{:.0f},\"mb_per_cpu_s\":{:.0f}}}\n",
             run.slices.size(), bytes, megabytes / median(seconds),
             megabytes / median(cpu_seconds));
  return 0;
}

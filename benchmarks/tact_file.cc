// The .tact file of a trace: its size, the time to open it and group its slices by name, and the
// time that only reading the two columns for that takes. usage: tact_file TRACE|RUN.tact THREADS
// OUT.tact
#include "run/tact/tact_file.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "base/parallel.h"
#include "launches/kernel_instances.h"
#include "sources/sources.h"

namespace {

using tactus::Run;
using SteadyClock = std::chrono::steady_clock;

double since(SteadyClock::time_point begin) {
  return std::chrono::duration<double>(SteadyClock::now() - begin).count();
}

struct Group {
  std::int64_t count = 0;
  std::int64_t total_ns = 0;
};

void group_rows(const Run& run, std::size_t first, std::size_t last, std::vector<Group>& groups) {
  std::vector<std::int64_t> durs(tactus::Column::kBlockRows);
  const tactus::Column& dur = run.slices.dur();
  run.slices.name().for_each_piece(first, last, [&](std::size_t at, auto names) {
    dur.read(at, std::span(durs).first(names.size()));
    for (std::size_t i = 0; i < names.size(); ++i) {
      Group& group = groups[static_cast<std::size_t>(names[i])];
      ++group.count;
      group.total_ns += durs[i];
    }
  });
}

std::vector<Group> group_by_name(const Run& run, unsigned threads) {
  std::vector<std::vector<Group>> parts(threads, std::vector<Group>(run.strings.size()));
  const std::size_t rows = run.slices.size();
  run.slices.dur();
  run.slices.name();
  tactus::parallel_for(threads, threads, [&](std::size_t part, unsigned) {
    group_rows(run, rows * part / threads, rows * (part + 1) / threads, parts[part]);
  });
  std::vector<Group> groups = std::move(parts[0]);
  for (std::size_t part = 1; part < parts.size(); ++part) {
    for (std::size_t name = 0; name < groups.size(); ++name) {
      groups[name].count += parts[part][name].count;
      groups[name].total_ns += parts[part][name].total_ns;
    }
  }
  return groups;
}

}  // namespace

int main(int, char** argv) {
  using namespace tactus;
  const auto threads = static_cast<unsigned>(std::atoi(argv[2]));
  const std::string path = argv[3];
  NoProgress progress;
  std::size_t slices = 0;
  double write_seconds = 0;
  if (!std::filesystem::exists(path)) {
    Result<Imported> imported =
        import_run({.inputs = {argv[1]}, .counters = {}, .threads = threads}, progress);
    CHECK(imported);
    const SteadyClock::time_point begin = SteadyClock::now();
    CHECK(write_run(imported->run, path, true, threads, progress));
    write_seconds = since(begin);
    slices = imported->run.slices.size();
  }
  SteadyClock::time_point begin = SteadyClock::now();
  Result<Run> run = open_run(path, threads);
  CHECK(run);
  const std::vector<Group> groups = group_by_name(*run, threads);
  const double group_seconds = since(begin);
  CHECK(run->status());
  std::int64_t count = 0;
  for (const Group& group : groups) count += group.count;
  CHECK(count == static_cast<std::int64_t>(run->slices.size()));

  begin = SteadyClock::now();
  Result<Run> again = open_run(path, threads);
  CHECK(again);
  CHECK(again->slices.name().size() == again->slices.dur().size());
  const double read_seconds = since(begin);

  begin = SteadyClock::now();
  Result<Run> third = open_run(path, threads);
  const KernelTable kernels = summarise_kernels(*third, {});
  const double kernels_seconds = since(begin);
  fmt::print(
      "{{\"slices\": {}, \"bytes\": {}, \"write_seconds\": {:.4f}, \"group_seconds\": {:.6f}, "
      "\"read_seconds\": {:.6f}, \"kernels_seconds\": {:.6f}, \"kernels\": {}}}\n",
      std::max(slices, run->slices.size()), std::filesystem::file_size(path), write_seconds,
      group_seconds, read_seconds, kernels_seconds, kernels.rows.size());
}

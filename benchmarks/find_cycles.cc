// Finds the cycles of a recording that is repeated until it is large, and checks the answer against
// that of the recording itself. Prints one JSON object a recording.
// usage: find_cycles MILLION_SLICES TRACE...
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "base/progress.h"
#include "cycles/cycles.h"
#include "sources/sources.h"

namespace {

/// The same slices again and again, each time later, with the launches among them.
void repeat(tactus::Run& run, std::size_t times) {
  const std::size_t rows = run.own_slices();
  const tactus::TimeSpan span = run.span().value_or(tactus::TimeSpan{});
  const std::int64_t length = span.end_ns - span.begin_ns;
  struct Slice {
    std::int64_t start, dur, name, track, category;
  };
  std::vector<Slice> slices;
  for (std::size_t row = 0; row < rows; ++row) {
    slices.push_back({run.slices.start()[row], run.slices.dur()[row], run.slices.name()[row],
                      run.slices.track()[row], run.slices.category()[row]});
  }
  tactus::Links links;
  const auto launch = static_cast<std::int64_t>(tactus::LinkKind::kLaunch);
  for (std::size_t copy = 0; copy < times; ++copy) {
    const auto first = static_cast<std::int64_t>(copy * rows);
    for (std::size_t i = 0; i < run.links.rows; ++i) {
      if (run.links.kind()[i] != launch) continue;
      links.append({launch, run.links.from()[i] + first, run.links.to()[i] + first});
    }
    if (copy == 0) continue;
    const std::int64_t later = static_cast<std::int64_t>(copy) * length;
    for (const Slice& slice : slices) {
      run.slices.append(slice.start + later, slice.dur,
                        tactus::StringId(static_cast<std::uint64_t>(slice.name)),
                        static_cast<std::uint32_t>(slice.track),
                        static_cast<std::uint32_t>(slice.category), tactus::ShapeId(0));
    }
  }
  run.links = std::move(links);
}

bool measure(const std::string& trace, std::size_t wanted_slices) {
  tactus::ImportRequest request;
  request.inputs = {trace};
  request.threads = 1;
  tactus::NoProgress progress;
  tactus::Result<tactus::Imported> imported = tactus::open_or_import(request, progress);
  if (!imported) return false;
  tactus::Run& run = imported->run;
  const tactus::Result<tactus::Cycles> once = tactus::find_cycles(run, {});
  if (!once || run.own_slices() == 0) return false;
  const std::size_t times = std::max<std::size_t>(1, wanted_slices / run.own_slices());
  repeat(run, times);

  const auto begin = std::chrono::steady_clock::now();
  const std::clock_t cpu_begin = std::clock();
  const tactus::Result<tactus::Cycles> cycles = tactus::find_cycles(run, {});
  const auto cpu = static_cast<double>(std::clock() - cpu_begin) / CLOCKS_PER_SEC;
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  if (!cycles) return false;
  const std::size_t expected = times * once->cycles.size();
  fmt::print(
      "{{\"trace\": \"{}\", \"slices\": {}, \"seconds\": {:.3f}, \"cpu_seconds\": {:.3f}, "
      "\"method\": \"{}\", "
      "\"cycles\": {}, \"expected\": {}}}\n",
      trace.substr(trace.rfind('/') + 1), run.own_slices(), seconds.count(), cpu,
      tactus::anchor_method_name(cycles->method), cycles->cycles.size(), expected);
  return cycles->method == once->method && cycles->cycles.size() == expected;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::size_t slices = 1'000'000 * std::strtoul(argv[1], nullptr, 10);
  bool right = true;
  for (int i = 2; i < argc; ++i) right = measure(argv[i], slices) && right;
  return right ? 0 : 1;
}

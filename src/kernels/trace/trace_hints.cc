#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/json.h"
#include "base/text.h"
#include "kernels/hints.h"
#include "launches/grid.h"
#include "run/args/arg_lookup.h"

namespace tactus {
namespace {

constexpr double kLeastShare = 0.005;
// A kernel with this much shared memory uses a whole multiprocessor of any current GPU.
constexpr std::int64_t kAloneBytes = 120 << 10;

/// Multiprocessors by source and the index that it gives a device, where it describes them.
using Multiprocessors = std::map<std::pair<SourceId, std::int64_t>, std::int64_t>;

Multiprocessors multiprocessors(const Run& run) {
  Multiprocessors counts;
  for (std::size_t i = 0; i < run.sources.size(); ++i) {
    for (const Metadata& entry : run.sources[i].metadata) {
      if (run.strings[entry.key] != "deviceProperties") continue;
      const Json devices = Json::parse(run.strings[entry.json]);
      if (!devices.is_array()) continue;
      for (const Json& device : devices) {
        if (!device.is_object()) continue;
        const Json* id = device.find("id");
        const Json* count = device.find("numSms");
        if (id == nullptr || count == nullptr) continue;
        if (id->is_number_integer() && count->is_number_integer()) {
          counts[{SourceId(i), id->get<std::int64_t>()}] = count->get<std::int64_t>();
        }
      }
    }
  }
  return counts;
}

/// Adds up time by kernel name and sorts the names.
class TimeByName {
 public:
  void add(std::uint32_t name, std::int64_t ns) {
    times_[name] += ns;
    total_ns_ += ns;
  }
  std::int64_t total_ns() const { return total_ns_; }
  std::vector<std::string> names(const Run& run) const {
    std::vector<std::pair<std::int64_t, std::uint32_t>> sorted;
    for (const auto& [name, ns] : times_) sorted.emplace_back(-ns, name);
    std::sort(sorted.begin(), sorted.end());
    std::vector<std::string> list;
    list.reserve(sorted.size());
    for (const auto& [ns, name] : sorted) list.emplace_back(run.strings[StringId(name)]);
    return list;
  }

 private:
  std::map<std::uint32_t, std::int64_t> times_;
  std::int64_t total_ns_ = 0;
};

std::optional<Hint> make_hint(std::string kind, std::string text, const TimeByName& times,
                              const Run& run, double of_ns, double least) {
  const double share = of_ns > 0 ? static_cast<double>(times.total_ns()) / of_ns : 0;
  if (share < least) return std::nullopt;
  return Hint{.kind = std::move(kind),
              .text = std::move(text),
              .share = share,
              .total_ns = times.total_ns(),
              .rows = times.names(run)};
}

/// Whether more blocks would make a kernel faster. A collective waits for links and other devices,
/// and uses few blocks on purpose; the driver's own copies and fills choose their grids themselves.
bool grid_matters(const KernelName& name) {
  return name.family != Family::kCollective && name.library != "driver" && name.library != "rocm";
}

/// Kernels with fewer blocks than the device has multiprocessors, and those whose last wave leaves
/// most of them idle.
template <class Counts>
void add_grid_hints(const Run& run, const KernelInstances& kernels, const Counts& counts,
                    std::vector<Hint>& hints) {
  const Multiprocessors processors = multiprocessors(run);
  if (processors.empty()) return;
  const std::vector<std::int64_t> all_blocks = blocks_of_kernels(run, kernels.rows);
  const std::vector<std::optional<Value>> shared =
      args_of_slices(run, kernels.rows, "shared memory");
  TimeByName small;
  TimeByName tails;
  double total = 0;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    total += static_cast<double>(kernels.durs[i]);
    if (all_blocks[i] == 0 || !counts(kernels.names[i])) continue;
    const auto track = static_cast<std::size_t>(run.slices.track()[kernels.rows[i]]);
    if (track >= run.tracks.size()) continue;
    const Track& on = run.tracks[track];
    const SourceId source = run.processes[run.threads[on.thread.value].process.value].source;
    const auto device = processors.find({source, on.device_index.value_or(-1)});
    if (device == processors.end() || device->second <= 0) continue;
    const std::int64_t blocks = all_blocks[i];
    if (blocks > 0 && 2 * blocks < device->second) small.add(kernels.names[i], kernels.durs[i]);
    const bool alone =
        shared[i] && shared[i]->type == ValueType::kInt && shared[i]->raw >= kAloneBytes;
    if (!alone || blocks <= device->second) continue;
    const std::int64_t in_last_wave = blocks % device->second;
    if (in_last_wave != 0 && 4 * in_last_wave < device->second) {
      // The time of the last, nearly empty wave.
      const std::int64_t waves = blocks / device->second + 1;
      tails.add(kernels.names[i], kernels.durs[i] / waves);
    }
  }
  const double part = total > 0 ? 100 / total : 0;
  if (auto hint = make_hint(
          "small_grids",
          fmt::format("Kernels with blocks for less than half of the multiprocessors take {:.1f}% "
                      "of the GPU time: larger batches, split-K or fusion fill the device.",
                      static_cast<double>(small.total_ns()) * part),
          small, run, total, kLeastShare)) {
    hints.push_back(std::move(*hint));
  }
  if (auto hint = make_hint(
          "tails",
          fmt::format("Last waves that use less than a quarter of the multiprocessors cost about "
                      "{:.1f}% of the GPU time: another tile size fits these shapes better.",
                      static_cast<double>(tails.total_ns()) * part),
          tails, run, total, kLeastShare)) {
    hints.push_back(std::move(*hint));
  }
}

}  // namespace

std::vector<Hint> hints_of_trace(const Run& run, const KernelInstances& kernels,
                                 std::span<const KernelName> names,
                                 std::span<const std::uint32_t> rows) {
  std::vector<Hint> hints;
  const auto counts = [&](std::uint32_t name) {
    return rows[name] == kNoRow || grid_matters(names[rows[name]]);
  };
  add_grid_hints(run, kernels, counts, hints);
  return hints;
}

}  // namespace tactus

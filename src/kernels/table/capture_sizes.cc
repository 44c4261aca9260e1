#include "kernels/table/capture_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace tactus {
namespace {

constexpr std::int64_t kMostSizes = 1024;
constexpr std::int64_t kSequencesPerWarp = 31;

struct SizeStep {
  std::int64_t first;
  std::int64_t last;
  std::int64_t step;
};

/// The batch sizes that an engine captures by default, and how often it runs each beforehand.
struct SizeList {
  std::span<const SizeStep> steps;
  std::int64_t passes_per_size;
  bool is_sglang;
};

// SGLang 0.5, and the list that older SGLang and vLLM share.
constexpr SizeStep kSglangSteps[] = {{1, 1, 1},    {2, 2, 1},      {4, 12, 4},
                                     {16, 256, 8}, {272, 496, 16}, {512, 1 << 14, 32}};
constexpr SizeStep kOlderSteps[] = {{1, 1, 1}, {2, 2, 1}, {4, 4, 1}, {8, 512, 8}};
constexpr SizeList kLists[] = {
    {kSglangSteps, 2, true}, {kOlderSteps, 2, true}, {kOlderSteps, 1, false}};

std::vector<std::int64_t> first_sizes(const SizeList& list, std::int64_t count) {
  std::vector<std::int64_t> sizes;
  for (const SizeStep& step : list.steps) {
    for (std::int64_t size = step.first; size <= step.last; size += step.step) {
      if (static_cast<std::int64_t>(sizes.size()) == count) return sizes;
      sizes.push_back(size);
    }
  }
  if (static_cast<std::int64_t>(sizes.size()) != count) sizes.clear();
  return sizes;
}

std::int64_t warps_for(std::int64_t batch) {
  std::int64_t warps = 1;
  while (warps * kSequencesPerWarp < batch) warps *= 2;
  return warps;
}

using Bins = std::map<std::int64_t, std::int64_t>;

Bins prepare_bins(const TableRows& rows) {
  Bins bins;
  for (const TableRow& row : rows_of(rows, Family::kAttentionPrepare)) {
    if (row.name->warps) bins[*row.name->warps] += row.instances();
  }
  return bins;
}

Bins expected_bins(const LayerCounts& counts, const CaptureSizes& captures) {
  Bins bins;
  for (const std::int64_t size : captures.sizes) {
    bins[warps_for(size)] += counts.layers * captures.passes_per_size;
  }
  return bins;
}

/// True if the bins hold the captures, and the rest is the other passes.
bool bins_fit(const Bins& bins, const LayerCounts& counts, const CaptureSizes& captures,
              const OtherPasses& others) {
  std::int64_t over = 0;
  for (const auto& [warps, count] : bins) over += count;
  for (const auto& [warps, expected] : expected_bins(counts, captures)) {
    const auto bin = bins.find(warps);
    if (bin == bins.end() || bin->second < expected) return false;
    over -= expected;
  }
  return over == counts.layers * (others.prefill + others.decode);
}

/// True if nearly every size is the N tile of some GEMM: cuBLAS has tiles of 8 tokens and
/// multiples, and takes the smallest that is large enough.
bool tiles_fit(const TableRows& rows, const std::vector<std::int64_t>& sizes) {
  std::set<std::int64_t> tiles;
  for (const TableRow& row : rows_of(rows, Family::kGemm)) {
    if (row.name->tile && row.name->tile->n) tiles.insert(*row.name->tile->n);
  }
  std::size_t wanted = 0;
  std::size_t found = 0;
  for (const std::int64_t size : sizes) {
    if (size < 16 || size % 8 != 0) continue;
    ++wanted;
    found += tiles.count(size);
  }
  return wanted >= 4 && found * 10 >= wanted * 9;
}

}  // namespace

CaptureSizes find_capture_sizes(const KernelTable& table, const TableRows& rows,
                                const LayerCounts& counts, std::int64_t capture_passes,
                                const OtherPasses& others) {
  const bool is_sglang = shows_sglang(table);
  const Bins bins = prepare_bins(rows);
  CaptureSizes unconfirmed;
  for (const SizeList& list : kLists) {
    const std::int64_t count = capture_passes / list.passes_per_size;
    if (count <= 0 || count > kMostSizes || capture_passes % list.passes_per_size != 0) continue;
    CaptureSizes captures{first_sizes(list, count), list.passes_per_size, false};
    if (captures.empty()) continue;
    if (!bins.empty()) {
      captures.confirmed = bins_fit(bins, counts, captures, others);
      if (captures.confirmed) return captures;
      continue;
    }
    captures.confirmed = tiles_fit(rows, captures.sizes);
    if (captures.confirmed) return captures;
    if (unconfirmed.empty() && list.is_sglang && is_sglang) unconfirmed = captures;
  }
  return unconfirmed;
}

std::vector<Identity> prepare_identities(const TableRows& rows, const LayerCounts& counts,
                                         const CaptureSizes& captures, const OtherPasses& others) {
  std::vector<Identity> identities;
  if (captures.empty()) return identities;
  const Bins expected = expected_bins(counts, captures);
  const std::int64_t other_passes = others.prefill + others.decode;
  for (const auto& [warps, actual] : prepare_bins(rows)) {
    const auto bin = expected.find(warps);
    const std::int64_t captured = bin == expected.end() ? 0 : bin->second;
    const std::int64_t per_size = counts.layers * captures.passes_per_size;
    std::string text = fmt::format("attention_prepare with {} warps = {} sizes x {} x layers",
                                   warps, captured / per_size, captures.passes_per_size);
    // Prefill and decode have one batch size each, which is unknown.
    std::int64_t over = actual - captured;
    if (over > 0 && over <= counts.layers * other_passes && over % counts.layers == 0) {
      text += fmt::format(" + {} other passes x layers", over / counts.layers);
    } else {
      over = 0;
    }
    identities.push_back({std::move(text), captured + over, actual});
  }
  return identities;
}

}  // namespace tactus

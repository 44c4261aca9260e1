#include "kernels/table/row_split.h"

#include <algorithm>
#include <cmath>

namespace tactus {
namespace {

/// How often a layer may launch the same kernel.
constexpr std::int64_t kMostPerLayer = 8;

/// Long kernels of a row: max is far above the median.
bool has_two_kinds(const KernelRow& row) {
  if (!row.med_ns || !row.max_ns) return false;
  return *row.med_ns > 0 &&
         static_cast<double>(*row.max_ns) >= 4.0 * static_cast<double>(*row.med_ns);
}

PrefillPart whole_row(const TableRow& row) {
  const auto instances = static_cast<double>(row.instances());
  return {row, row.instances(), static_cast<double>(row.row->total_ns) / instances, 0};
}

/// The part of a row that counts a multiple of `unit`, not more than `most`.
std::optional<PrefillPart> part_in_units(const TableRow& row, std::int64_t unit,
                                         std::int64_t most) {
  for (std::int64_t k = 1; k <= kMostPerLayer && k * unit <= most; ++k) {
    if (const auto parts = split_in_two(*row.row, k * unit)) {
      return PrefillPart{row, k * unit, parts->long_avg_ns, parts->short_avg_ns};
    }
  }
  return std::nullopt;
}

/// Fills at start-up have their own two kinds of times, and so have GEMMs, whose parts are found by
/// their sum.
bool may_have_prefill_part(const TableRow& row) {
  switch (row.family()) {
    case Family::kFill:
    case Family::kGemm:
    case Family::kGemv:
    case Family::kSplitKReduce: return false;
    default: return true;
  }
}

/// FlashInfer has a rope kernel for many tokens and one for few.
bool is_rope_for_few(const TableRow& row) {
  return row.family() == Family::kRope && row.says("HeadParallelism");
}

std::optional<PrefillPart> part_of_other_row(const TableRow& row, const LayerCounts& counts,
                                             std::int64_t prefill_passes) {
  const std::int64_t in_layers = counts.layers * prefill_passes;
  const std::int64_t layer_passes = counts.layer_passes();
  if (row.instances() % layer_passes == 0) {
    const std::int64_t exact = row.instances() / layer_passes * in_layers;
    return part_in_units(row, exact, exact);
  }
  if (row.instances() % counts.layers == 0 && row.instances() > in_layers) {
    return part_in_units(row, in_layers, row.instances());
  }
  return part_in_units(row, prefill_passes, prefill_passes);
}

}  // namespace

std::optional<TwoParts> split_in_two(const KernelRow& row, std::int64_t long_instances) {
  if (long_instances <= 0 || long_instances >= row.instances - long_instances) return std::nullopt;
  if (!has_two_kinds(row)) return std::nullopt;
  const auto all = static_cast<double>(row.instances);
  const auto n_long = static_cast<double>(long_instances);
  const double n_short = all - n_long;
  const double mean = static_cast<double>(row.total_ns) / all;
  // Two tight groups of n_long and n_short values are this far apart, for their common spread.
  // Without a spread, the median stands for the short ones, which are the majority.
  const auto median = static_cast<double>(*row.med_ns);
  const double spread = static_cast<double>(row.stddev_ns.value_or(0)) * std::sqrt((all - 1) / all);
  const double gap =
      spread > 0 ? spread * all / std::sqrt(n_long * n_short) : (mean - median) * all / n_long;
  const double short_avg = mean - gap * n_long / all;
  const double long_avg = short_avg + gap;
  const auto largest = static_cast<double>(*row.max_ns);
  const bool fits = long_avg <= 1.05 * largest && long_avg >= 0.5 * largest &&
                    short_avg >= 0.9 * static_cast<double>(row.min_ns.value_or(0)) &&
                    short_avg <= 2.0 * median;
  if (!fits) return std::nullopt;
  return TwoParts{long_avg, short_avg};
}

std::vector<PrefillPart> find_prefill_gemms(const TableRows& rows, const LayerCounts& counts,
                                            std::int64_t gemms_per_layer,
                                            std::int64_t prefill_passes) {
  const std::int64_t unit = counts.layers * prefill_passes;
  std::int64_t left = gemms_per_layer * unit;
  if (unit <= 0) return {};
  TableRows gemms = rows_where(rows, is_gemm);
  std::stable_sort(gemms.begin(), gemms.end(), [](const TableRow& a, const TableRow& b) {
    return a.row->max_ns > b.row->max_ns;
  });
  std::vector<PrefillPart> parts;
  for (const TableRow& row : gemms) {
    if (left == 0) break;
    std::optional<PrefillPart> part;
    if (row.instances() <= left && row.instances() % unit == 0) {
      part = whole_row(row);
    } else {
      part = part_in_units(row, unit, left);
    }
    if (!part) continue;
    left -= part->instances;
    parts.push_back(*part);
  }
  if (left != 0) parts.clear();
  return parts;
}

std::vector<PrefillPart> find_other_prefill_parts(const TableRows& rows, const LayerCounts& counts,
                                                  std::int64_t prefill_passes) {
  std::vector<PrefillPart> parts;
  if (prefill_passes <= 0) return parts;
  const bool few_have_their_own = std::any_of(rows.begin(), rows.end(), is_rope_for_few);
  const bool decode_has_its_own = std::any_of(rows.begin(), rows.end(), is_decode_attention);
  for (const TableRow& row : rows) {
    if (!may_have_prefill_part(row)) continue;
    const bool is_rope_for_many =
        few_have_their_own && row.family() == Family::kRope && !is_rope_for_few(row);
    if ((decode_has_its_own && is_prefill_attention(row)) || is_rope_for_many) {
      parts.push_back(whole_row(row));
    } else if (const auto part = part_of_other_row(row, counts, prefill_passes)) {
      parts.push_back(*part);
    }
  }
  return parts;
}

}  // namespace tactus

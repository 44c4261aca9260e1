#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/table/table_analysis.h"
#include "sources/nsys/summary/summary_text.h"
#include "support/files.h"

namespace tactus::testing {

/// A kernel table with what its names say, built by hand.
struct NamedTable {
  KernelTable table;
  std::vector<KernelName> names;

  /// Kernels that all take the same time.
  KernelName& add(const std::string& name, Family family, std::int64_t instances,
                  std::int64_t each_ns) {
    return add_two_kinds(name, family, 0, 0, instances, each_ns);
  }

  /// Few long kernels and many short ones, with the spread that comes of it.
  KernelName& add_two_kinds(const std::string& name, Family family, std::int64_t n_long,
                            std::int64_t long_ns, std::int64_t n_short, std::int64_t short_ns) {
    KernelRow row;
    row.name = name;
    row.instances = n_long + n_short;
    row.total_ns = n_long * long_ns + n_short * short_ns;
    row.avg_ns = row.instances == 0 ? 0 : row.total_ns / row.instances;
    row.med_ns = row.min_ns = short_ns;
    row.max_ns = std::max(long_ns, short_ns);
    if (n_long > 0) {
      const auto all = static_cast<double>(row.instances);
      const double variance = static_cast<double>(n_long) * static_cast<double>(n_short) / all /
                              (all - 1) * std::pow(static_cast<double>(long_ns - short_ns), 2);
      row.stddev_ns = static_cast<std::int64_t>(std::sqrt(variance));
    }
    row.line = static_cast<std::int64_t>(table.rows.size()) + 2;
    table.rows.push_back(row);
    KernelName decoded;
    decoded.family = family;
    names.push_back(std::move(decoded));
    return names.back();
  }

  /// Once all rows are there: their shares.
  void finish() {
    table.total_ns = 0;
    for (const KernelRow& row : table.rows) table.total_ns += row.total_ns;
    for (KernelRow& row : table.rows) {
      row.time_pct =
          100.0 * static_cast<double>(row.total_ns) / static_cast<double>(table.total_ns);
    }
  }

  Structure structure() const { return structure_of_table(table, names); }
  std::vector<LaunchGroup> groups() const { return groups_of_table(table, names); }
};

struct Model {
  std::int64_t layers = 24;
  std::int64_t prefill = 3;
  std::int64_t decode = 20;                 ///< passes whose kernels are recorded
  std::int64_t sampled = 23;                ///< tokens picked, a batch each
  std::vector<std::int64_t> capture_sizes;  ///< each is run twice before its capture
  bool fused_norms = true;
  bool silu = true;
};

/// What an engine leaves in a table: 4 GEMMs a layer and one behind, prefill long and decode short.
inline NamedTable table_of(const Model& model) {
  NamedTable made;
  const std::int64_t captures = 2 * static_cast<std::int64_t>(model.capture_sizes.size());
  const std::int64_t rest = model.decode + captures;
  const std::int64_t passes = model.prefill + rest;
  const std::int64_t long_ones = model.layers * model.prefill;
  const std::int64_t short_ones = model.layers * rest;
  const auto gemm = [&](const std::string& name, std::int64_t instances, std::int64_t each_ns,
                        std::optional<int> tile_n = {}) {
    KernelName& decoded = made.add(name, Family::kGemm, instances, each_ns);
    decoded.dtype_in = "bf16";
    if (tile_n) decoded.tile = Tile{128, tile_n, 64};
  };
  gemm("prefill_wide", 3 * long_ones, 5'000'000);
  gemm("prefill_narrow", long_ones, 2'000'000);
  if (model.decode > 0) gemm("decode_gemm", 4 * model.layers * model.decode, 30'000);
  for (const std::int64_t size : model.capture_sizes) {
    gemm("captured_" + std::to_string(size), 8 * model.layers, 20'000 + size,
         static_cast<int>((size + 7) / 8 * 8));
  }
  gemm("logits", passes, 300'000);
  made.add("prefill_attention", Family::kAttention, long_ones, 600'000).causal = true;
  if (rest > 0) made.add("split_attention", Family::kAttention, short_ones, 30'000).kv_split = true;
  made.add_two_kinds("rope", Family::kRope, long_ones, 200'000, short_ones, 3'000);
  if (model.silu) {
    made.add_two_kinds("silu", Family::kActivation, long_ones, 800'000, short_ones, 5'000).op =
        "silu_and_mul";
  }
  made.add_two_kinds("kv", Family::kKvWrite, 2 * long_ones, 200'000, 2 * short_ones, 4'000).op =
      "index_put";
  if (model.fused_norms) {
    made.add_two_kinds("add_norm", Family::kNorm, 2 * long_ones, 300'000, 2 * short_ones, 3'000)
        .op = "add_rms_norm";
    made.add("norm", Family::kNorm, passes, 3'000).op = "rms_norm";
  } else {
    made.add("norm", Family::kNorm, (2 * model.layers + 1) * passes, 3'000).op = "rms_norm";
  }
  if (model.sampled > 0) {
    made.add("argmax", Family::kSampling, model.sampled, 40'000).op = "argmax";
  }
  made.finish();
  return made;
}

/// A kernel summary of the shared data, read and decoded; nothing if it is not here.
inline std::optional<NamedTable> seed_table(const std::string& file) {
  const std::optional<std::string> path = shared_file("seeds/" + file);
  if (!path) return std::nullopt;
  Result<std::unique_ptr<InputBytes>> bytes = InputBytes::open(*path);
  RunBuilder builder;
  if (!bytes || !nsys::import_summary(**bytes, builder)) return std::nullopt;
  NamedTable seed;
  seed.table = *builder.finish().kernel_summary;
  for (const KernelRow& row : seed.table.rows) seed.names.push_back(decode_kernel_name(row.name));
  return seed;
}

inline constexpr const char* kSeed001 = "001_9d4567749f1494f6.txt";
inline constexpr const char* kSeed002 = "002_f016f53a8cb403b0.txt";

}  // namespace tactus::testing

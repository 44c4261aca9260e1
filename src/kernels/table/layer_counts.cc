#include "kernels/table/layer_counts.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <string>

namespace tactus {
namespace {

constexpr std::int64_t kMostLayers = 512;

/// What layers x passes could be, from one kind of kernel. The largest row counts separately too:
/// index_put also writes other things than keys and values.
using Guesses = std::set<std::int64_t>;

Guesses guesses_of(const TableRows& rows, std::int64_t per_layer) {
  Guesses guesses;
  std::int64_t largest = 0;
  for (const TableRow& row : rows) largest = std::max(largest, row.instances());
  for (const std::int64_t count : {instances_of(rows), largest}) {
    if (count > 0 && count % per_layer == 0) guesses.insert(count / per_layer);
  }
  return guesses;
}

/// The count on which most kinds of kernels agree; the larger of two.
struct Agreed {
  std::int64_t layer_passes = 0;
  int kinds = 0;
};
Agreed agree_on_layer_passes(const TableRows& rows) {
  std::map<std::int64_t, int> votes;
  const auto vote = [&votes](const Guesses& guesses) {
    for (const std::int64_t guess : guesses) ++votes[guess];
  };
  for (const Family once : {Family::kAttention, Family::kActivation, Family::kRope}) {
    vote(guesses_of(rows_of(rows, once), 1));
  }
  // Keys and values are written together or one after the other.
  const TableRows kv_writes = rows_of(rows, Family::kKvWrite);
  Guesses written = guesses_of(kv_writes, 1);
  written.merge(guesses_of(kv_writes, 2));
  vote(written);
  vote(guesses_of(rows_where(rows, is_fused_norm), 2));

  Agreed agreed;
  for (const auto& [count, kinds] : votes) {
    if (kinds >= agreed.kinds) agreed = {count, kinds};
  }
  return agreed;
}

std::optional<LayerCounts> counts_if_whole(std::int64_t layer_passes, std::int64_t passes) {
  if (passes <= 0 || layer_passes % passes != 0) return std::nullopt;
  const std::int64_t layers = layer_passes / passes;
  if (layers < 2 || layers > kMostLayers) return std::nullopt;
  return LayerCounts{layers, passes};
}

/// The data type of most GEMMs.
std::string main_dtype(const TableRows& gemms) {
  std::map<std::string, std::int64_t> counts;
  for (const TableRow& row : gemms) counts[std::string(row.name->dtype_in)] += row.instances();
  const auto most =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == counts.end() ? std::string() : most->first;
}

}  // namespace

std::optional<LayerCounts> count_layers(const TableRows& rows) {
  const Agreed agreed = agree_on_layer_passes(rows);
  if (agreed.kinds == 0) return std::nullopt;
  const std::int64_t layer_passes = agreed.layer_passes;
  const TableRows norms = rows_of(rows, Family::kNorm);
  const auto by_norms = counts_if_whole(layer_passes, instances_of(norms) % layer_passes);
  const std::int64_t gemms_left = instances_of(rows_where(rows, is_gemm)) % layer_passes;
  if (agreed.kinds == 1) {
    // One kind alone could be chance; norms and GEMMs must agree.
    return by_norms && by_norms->passes == gemms_left ? by_norms : std::nullopt;
  }
  if (by_norms) return by_norms;
  for (const TableRow& norm : norms) {
    if (const auto found = counts_if_whole(layer_passes, norm.instances())) return found;
  }
  return counts_if_whole(layer_passes, gemms_left);
}

GemmCounts count_gemms(const TableRows& rows, const LayerCounts& counts) {
  GemmCounts found;
  const TableRows gemms = rows_where(rows, is_gemm);
  const std::string dtype = main_dtype(gemms);
  std::map<std::string_view, std::int64_t> by_dtype;
  for (const TableRow& row : gemms) by_dtype[row.name->dtype_in] += row.instances();
  for (const auto& [name, count] : by_dtype) {
    // A quantised model has its last GEMM in another data type: once per pass.
    const bool in_model = name == dtype || name.empty() || count >= counts.passes;
    (in_model ? found.in_passes : found.at_start_up) += count;
  }
  const std::int64_t in_layers = found.in_passes - counts.passes;
  const std::int64_t layer_passes = counts.layer_passes();
  if (in_layers < layer_passes / 2) return found;
  const std::int64_t per_layer = (in_layers + layer_passes / 2) / layer_passes;
  if (per_layer > 0 && std::abs(in_layers - per_layer * layer_passes) < counts.passes) {
    found.per_layer = per_layer;
  }
  return found;
}

std::optional<std::int64_t> count_sampled_steps(const TableRows& rows) {
  const TableRows picks = rows_where(rows, [](const TableRow& row) {
    return row.family() == Family::kSampling && row.name->op == "argmax";
  });
  if (!picks.empty()) return instances_of(picks);
  // A sampler that is not argmax launches several kernels per step, most of them once.
  std::map<std::int64_t, int, std::greater<>> rows_by_count;
  for (const TableRow& row : rows_of(rows, Family::kSampling)) ++rows_by_count[row.instances()];
  std::optional<std::int64_t> steps;
  int most = 0;
  for (const auto& [count, same] : rows_by_count) {
    if (same >= most) steps = count, most = same;
  }
  return steps;
}

}  // namespace tactus

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "kernels/table/table_reading.h"

namespace tactus {
namespace {

/// "layers", "2 x layers"
std::string times_layers(std::int64_t per_layer) {
  return per_layer == 1 ? "layers" : fmt::format("{} x layers", per_layer);
}

class IdentityFinder {
 public:
  explicit IdentityFinder(const TableReading& reading)
      : reading_(reading), counts_(*reading.counts) {}

  std::vector<Identity> find() {
    add_norms();
    for (const Family family : {Family::kActivation, Family::kKvWrite, Family::kRope,
                                Family::kAttention, Family::kAttentionPrepare}) {
      add_layer_rows(family);
    }
    add_collectives();
    add_gemms();
    add_pairs();
    add_passes();
    return std::move(identities_);
  }

 private:
  void add(std::string text, std::int64_t expected, std::int64_t actual) {
    identities_.push_back({std::move(text), expected, actual});
  }

  /// Rows of one operator are counted together: prefill and decode may each have a kernel.
  std::map<std::string, TableRows> by_operator(const TableRows& rows) const {
    std::map<std::string, TableRows> operators;
    for (const TableRow& row : rows) {
      const std::string& op = row.name->op;
      operators[op.empty() ? std::string(family_name(row.family())) : op].push_back(row);
    }
    return operators;
  }

  /// `behind_layers` more come after the last layer.
  void add_multiple(const std::string& what, std::int64_t actual, std::int64_t behind_layers) {
    const std::int64_t in_layers = actual - behind_layers * counts_.passes;
    const std::int64_t half = counts_.layer_passes() / 2;
    const std::int64_t per_layer = std::max<std::int64_t>(
        1, (std::max<std::int64_t>(in_layers, 0) + half) / counts_.layer_passes());
    const std::string once = times_layers(per_layer);
    add(behind_layers == 0 ? fmt::format("{} = {} x passes", what, once)
                           : fmt::format("{} = ({} + {}) x passes", what, once, behind_layers),
        (per_layer * counts_.layers + behind_layers) * counts_.passes, actual);
  }

  void add_norms() {
    const TableRows norms = rows_of(reading_.rows, Family::kNorm);
    const TableRows fused = rows_where(norms, is_fused_norm);
    const TableRows plain =
        rows_where(norms, [](const TableRow& row) { return !is_fused_norm(row); });
    const auto named = [](const TableRows& rows, std::string_view otherwise) {
      return rows.front().name->op.empty() ? std::string(otherwise) : rows.front().name->op;
    };
    if (!fused.empty()) add_multiple(named(fused, "add_norm"), instances_of(fused), 0);
    if (plain.empty()) return;
    const std::string what = named(plain, "norm");
    const std::int64_t count = instances_of(plain);
    if (!fused.empty() && count < counts_.layer_passes()) {
      add(what + " = passes", counts_.passes, count);
    } else {
      add_multiple(what, count, 1);
    }
  }

  /// Rows whose counts do not divide by the layers are not part of them: an index_put may write
  /// other things than keys and values.
  void add_layer_rows(Family family) {
    const TableRows rows = rows_where(rows_of(reading_.rows, family), [&](const TableRow& row) {
      return row.instances() % counts_.layers == 0;
    });
    if (family == Family::kAttention || family == Family::kRope ||
        family == Family::kAttentionPrepare) {
      if (!rows.empty()) add_multiple(std::string(family_name(family)), instances_of(rows), 0);
      return;
    }
    for (const auto& [op, same] : by_operator(rows)) add_multiple(op, instances_of(same), 0);
  }

  /// Tensor-parallel layers add up their parts; so does the embedding before them.
  void add_collectives() {
    for (const auto& [op, same] : by_operator(rows_of(reading_.rows, Family::kCollective))) {
      const std::int64_t count = instances_of(same);
      if (count < counts_.layer_passes()) continue;
      add_multiple(op, count, count % counts_.layer_passes() == counts_.passes ? 1 : 0);
    }
  }

  void add_gemms() {
    if (!reading_.gemms.per_layer) return;
    const std::int64_t per_layer = *reading_.gemms.per_layer;
    const std::int64_t start_up = reading_.gemms.at_start_up;
    std::string text = fmt::format("gemm and gemv = ({} + 1) x passes", times_layers(per_layer));
    if (start_up > 0) text += fmt::format(" + {} at start-up", start_up);
    add(std::move(text), (per_layer * counts_.layers + 1) * counts_.passes + start_up,
        instances_of(rows_where(reading_.rows, is_gemm)));
  }

  void add_pairs() {
    const auto count = [&](auto&& wanted) {
      return instances_of(rows_where(reading_.rows, wanted));
    };
    const std::int64_t split_k = count(
        [](const TableRow& row) { return row.family() == Family::kGemm && row.name->split_k; });
    const std::int64_t reduces = instances_of(rows_of(reading_.rows, Family::kSplitKReduce));
    if (split_k > 0) add("split-K gemm = splitk_reduce", reduces, split_k);
    const std::int64_t kv_split = count([](const TableRow& row) {
      return row.family() == Family::kAttention && row.name->kv_split;
    });
    const std::int64_t combines = instances_of(rows_of(reading_.rows, Family::kAttentionCombine));
    if (kv_split > 0 && combines > 0)
      add("attention over split keys = attention_combine", combines, kv_split);
  }

  void add_passes() {
    const TablePhases& phases = reading_.phases;
    if (!phases.prefill) return;
    if (phases.decode > 0 && reading_.sampled_steps && !phases.decode_missing) {
      add("sampled steps = prefill passes + decode passes", *phases.prefill + phases.decode,
          *reading_.sampled_steps);
    }
    if (phases.captures.empty()) return;
    add(fmt::format("graph_capture passes = {} x sizes", phases.captures.passes_per_size),
        phases.captures.passes_per_size * static_cast<std::int64_t>(phases.captures.sizes.size()),
        phases.graph_capture);
    const OtherPasses others{*phases.prefill, phases.decode};
    for (Identity& identity : prepare_identities(reading_.rows, counts_, phases.captures, others)) {
      identities_.push_back(std::move(identity));
    }
  }

  const TableReading& reading_;
  const LayerCounts& counts_;
  std::vector<Identity> identities_;
};

}  // namespace

std::vector<Identity> find_identities(const TableReading& reading) {
  if (!reading.counts) return {};
  return IdentityFinder(reading).find();
}

}  // namespace tactus

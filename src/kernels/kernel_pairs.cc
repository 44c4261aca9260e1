#include "kernels/kernel_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "names/short_name.h"

namespace tactus {
namespace {

/// Attention without a known purpose is compared with all other attention, so both sides must be
/// split equally finely.
std::string op_of(const KernelName& name, bool tell_attention_apart) {
  if (name.family == Family::kAttention && !tell_attention_apart) return "attention";
  return name.op.empty() ? std::string(family_name(name.family)) : name.op;
}

bool tells_attention_apart(const KernelReport& report) {
  return std::none_of(report.names.begin(), report.names.end(), [](const KernelName& name) {
    return name.family == Family::kAttention && name.op == "attention";
  });
}

/// Rows come largest first, so the kernels of each operator do too.
void add_rows(const KernelReport& report, bool tell_attention_apart,
              std::map<std::string, OperatorPair>& pairs, bool is_a) {
  for (std::size_t i = 0; i < report.table.rows.size(); ++i) {
    const KernelRow& row = report.table.rows[i];
    const std::string op = op_of(report.names[i], tell_attention_apart);
    OperatorPair& pair = pairs[op];
    pair.op = op;
    (is_a ? pair.a_ns : pair.b_ns) += row.total_ns;
    (is_a ? pair.a_instances : pair.b_instances) += row.instances;
    std::vector<std::string>& kernels = is_a ? pair.a_kernels : pair.b_kernels;
    if (kernels.empty()) {
      (is_a ? pair.a_short_name : pair.b_short_name) = short_kernel_name(row.name, report.names[i]);
    }
    kernels.push_back(row.name);
  }
}

std::optional<std::int64_t> passes_of(const Structure& structure, std::optional<Phase> phase) {
  if (!phase) return structure.passes;
  for (const PassGroup& group : structure.phases) {
    if (group.phase == phase_name(*phase)) return group.passes;
  }
  return std::nullopt;
}

/// A mix of phases is compared only with a like one: the time per pass follows from it.
std::string phase_warning(const Structure& a, const Structure& b) {
  constexpr double kAlike = 0.1;
  for (const Phase phase : {Phase::kPrefill, Phase::kDecode, Phase::kMixed}) {
    const auto share = [&](const Structure& structure) {
      const double passes = static_cast<double>(structure.passes.value_or(0));
      return passes > 0 ? static_cast<double>(passes_of(structure, phase).value_or(0)) / passes : 0;
    };
    if (a.phases.empty() || b.phases.empty() || std::abs(share(a) - share(b)) <= kAlike) continue;
    return fmt::format(
        "{} of {} passes of A are {}, and {} of {} of B: compare one phase, for example with "
        "--phase {}.",
        passes_of(a, phase).value_or(0), a.passes.value_or(0), phase_name(phase),
        passes_of(b, phase).value_or(0), b.passes.value_or(0), phase_name(phase));
  }
  return {};
}

}  // namespace

KernelPairs pair_kernels(const KernelReport& a, const KernelReport& b, std::optional<Phase> phase) {
  const bool apart = tells_attention_apart(a) && tells_attention_apart(b);
  std::map<std::string, OperatorPair> by_op;
  add_rows(a, apart, by_op, true);
  add_rows(b, apart, by_op, false);

  KernelPairs result;
  result.a_total_ns = a.table.total_ns;
  result.b_total_ns = b.table.total_ns;
  result.a_passes = passes_of(a.structure, phase);
  result.b_passes = passes_of(b.structure, phase);
  if (!phase) result.warning = phase_warning(a.structure, b.structure);
  for (auto& [op, pair] : by_op) {
    std::vector<OperatorPair>& list = pair.a_kernels.empty()   ? result.only_b
                                      : pair.b_kernels.empty() ? result.only_a
                                                               : result.pairs;
    list.push_back(std::move(pair));
  }
  for (std::vector<OperatorPair>* list : {&result.pairs, &result.only_a, &result.only_b}) {
    const auto larger = [&](const OperatorPair& pair) {
      return result.knows_passes()
                 ? std::max(result.a_per_pass_ns(pair), result.b_per_pass_ns(pair))
                 : std::max(pair.a_ns, pair.b_ns);
    };
    std::stable_sort(list->begin(), list->end(), [&](const OperatorPair& x, const OperatorPair& y) {
      return larger(x) > larger(y);
    });
  }
  return result;
}

}  // namespace tactus

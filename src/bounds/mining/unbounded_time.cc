#include "bounds/mining/unbounded_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/arithmetic.h"
#include "bounds/ops/op_shape_index.h"

namespace tactus {
namespace {

constexpr std::size_t kOpsNamed = 3;
constexpr double kWorthSaying = 0.0005;

/// What to do about it; empty if nothing can be done.
std::string_view remedy(std::string_view why) {
  if (why == kReplayed) {
    return "; their ops and shapes are in a trace of the capture (record_shapes=True), which "
           "--capture takes";
  }
  if (why == kNotRecorded) return "; torch.profiler records shapes with record_shapes=True";
  if (why == kNoLaunch || why == kNoOp) {
    return "; torch.profiler records ops with activities=[CPU, CUDA] and record_shapes=True";
  }
  return {};
}

/// "aten::a 2.0%, aten::b 1.0% and others"
std::string ops_text(const std::map<std::string, std::int64_t, std::less<>>& by_op, double total) {
  std::vector<std::pair<std::int64_t, std::string_view>> ops;
  ops.reserve(by_op.size());
  for (const auto& [op, ns] : by_op) ops.emplace_back(ns, op);
  std::stable_sort(ops.begin(), ops.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (std::size_t i = 0; i < std::min(ops.size(), kOpsNamed); ++i) {
    text += fmt::format("{}{} {:.1f}%", i == 0 ? "" : ", ", ops[i].second,
                        100 * static_cast<double>(ops[i].first) / total);
  }
  if (ops.size() > kOpsNamed) text += " and others";
  return text;
}

}  // namespace

void UnboundedTime::add(std::string_view why, std::string_view op, std::int64_t ns) {
  auto at = by_reason_.find(why);
  if (at == by_reason_.end()) at = by_reason_.emplace(why, Time{}).first;
  at->second.ns = wrapping_add(at->second.ns, ns);
  if (op.empty()) return;
  auto of_op = at->second.by_op.find(op);
  if (of_op == at->second.by_op.end()) of_op = at->second.by_op.emplace(op, 0).first;
  of_op->second = wrapping_add(of_op->second, ns);
}

std::vector<std::string> UnboundedTime::sentences(std::int64_t total_ns) const {
  const auto total = static_cast<double>(total_ns);
  struct Sentence {
    std::int64_t ns = 0;
    std::string text;
    std::string_view remedy;
  };
  std::vector<Sentence> sorted;
  for (const auto& [why, time] : by_reason_) {
    const double share = total > 0 ? static_cast<double>(time.ns) / total : 0;
    if (share < kWorthSaying) continue;
    std::string text = fmt::format("{:.1f}% of the GPU time: {}", 100 * share, why);
    if (!time.by_op.empty()) text += " (" + ops_text(time.by_op, total) + ")";
    sorted.push_back({time.ns, std::move(text), remedy(why)});
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Sentence& a, const Sentence& b) { return a.ns > b.ns; });
  std::vector<std::string> sentences;
  sentences.reserve(sorted.size());
  std::string_view said;
  for (Sentence& sentence : sorted) {
    if (sentence.remedy != said) sentence.text += sentence.remedy;
    said = sentence.remedy;
    sentences.push_back(std::move(sentence.text));
  }
  return sentences;
}

}  // namespace tactus

#include "cycles/cycle_search.h"

#include <algorithm>

#include "cycles/anchors/anchor_choice.h"
#include "cycles/anchors/turns.h"
#include "cycles/cycle_contents.h"
#include "cycles/pauses.h"
#include "cycles/phases/cycle_phases.h"

namespace tactus {
namespace {

SliceKind kind_of(AnchorMethod method) {
  switch (method) {
    case AnchorMethod::kPython: return SliceKind::kPython;
    case AnchorMethod::kCpuOp: return SliceKind::kCpuOp;
    default: return SliceKind::kAnnotation;
  }
}

}  // namespace

CycleSearch::CycleSearch(const Run& run, const CycleQuestion& question, RunPasses& found)
    : run_(run), question_(question), loops_(find_loops(run, question.filter)), found_(found) {
  no_passes_.streams.resize(loops_.loops.size(), nullptr);
  no_passes_.marks.resize(loops_.loops.size());
}

const LoopPasses& CycleSearch::passes() {
  if (!passes_) {
    passes_ = passes_of_loops(loops_, found_.streams(question_.filter.at_any_time()));
  }
  return *passes_;
}

const Anchor* CycleSearch::choose(const std::vector<Anchor>& anchors, const std::string& asked) {
  if (anchors.empty()) return nullptr;
  if (!asked.empty()) {
    passes();  // they show where the first and the last of them were cut
    return &anchors.front();
  }
  if (question_.by_layer) return choose_layer_anchor(anchors, loops_, passes());
  // An engine's own annotation needs no check.
  const Anchor* best = choose_anchor(anchors, loops_, no_passes_);
  if (best != nullptr && best->name.trust == AnchorName::Trust::kEngine) return best;
  return choose_anchor(anchors, loops_, passes());
}

std::optional<Cycles> CycleSearch::by_kind(AnchorMethod method, SliceKind kind,
                                           const std::string& asked) {
  AnchorSearch search{.kind = kind, .asked = asked};
  search.layers = question_.by_layer && asked.empty();
  if (kind != SliceKind::kAnnotation && !search.layers && asked.empty()) {
    // A recursion may add instances; a function that is called far more often is part of a step.
    if (passes().whole_count() >= 2) search.most = 8 * (passes().most_whole() + 1);
  }
  const std::vector<Anchor> anchors = find_anchors(run_, loops_, search);
  if (asks_to_stop(question_.should_stop)) return std::nullopt;
  const Anchor* anchor = choose(anchors, asked);
  if (anchor == nullptr) return std::nullopt;
  const bool is_plain = anchor->name.trust == AnchorName::Trust::kPlain;
  if (kind == SliceKind::kAnnotation && is_plain && asked.empty() && !question_.by_layer) {
    const std::string all = name_with_others(*anchor, anchors, loops_, passes());
    if (!all.empty()) return by_kind(method, kind, all);
  }
  std::vector<CycleWindow> windows =
      question_.by_layer ? layer_windows_of_anchor(*anchor, loops_)
                         : windows_of_anchor(*anchor, loops_, passes_ ? &*passes_ : nullptr);
  // What `tactus record` calls a step ends with a wait; code of the host behind it is silent.
  const bool is_until_wait =
      anchor->name.trust == AnchorName::Trust::kWaits &&
      std::any_of(run_.sources.begin(), run_.sources.end(),
                  [](const Source& source) { return source.kind == "tactus"; });
  const bool looks_for_silence =
      question_.silence_is_pause && !question_.by_layer && !is_until_wait;
  if (kind == SliceKind::kAnnotation && looks_for_silence) mark_silence(run_, loops_, windows);
  return finish(method, anchor->name.text, std::move(windows));
}

std::optional<Cycles> CycleSearch::by_anchor(AnchorMethod method, const std::string& anchor) {
  const std::string& asked = anchor.empty() ? question_.anchor : anchor;
  std::optional<Cycles> found = by_kind(method, kind_of(method), asked);
  if (!found && method == AnchorMethod::kAnnotation) {
    // A recording of the device alone has only the device side of the annotations.
    found = by_kind(method, SliceKind::kGpuAnnotation, asked);
  }
  return found;
}

std::optional<Cycles> CycleSearch::by_kernels(Turns turns_too) {
  // Without a whole pass, what repeats may be the turns of the loop, not layers.
  if (turns_too == Turns::kToo && passes().whole_count() == 0) {
    if (std::optional<Cycles> turns = by_turns()) return turns;
  }
  if (passes().count() == 0) return std::nullopt;
  const std::size_t layers = passes().usual_layers();
  const std::string what =
      layers == 0 ? "forward pass" : "forward pass of " + std::to_string(layers) + " layers";
  return finish(AnchorMethod::kKernelSequence, question_.by_layer ? "layer of a " + what : what,
                question_.by_layer ? layer_windows_of_passes(passes(), loops_, found_.names())
                                   : windows_of_passes(passes(), loops_));
}

std::optional<Cycles> CycleSearch::by_turns() {
  if (question_.by_layer) return std::nullopt;
  std::optional<Anchor> turns = find_turns_by_results(run_, loops_);
  if (!turns && passes().count() == 0) {
    std::vector<const KernelStream*> streams;
    for (const StreamPasses& of : found_.streams(question_.filter.at_any_time())) {
      streams.push_back(&of.stream);
    }
    turns = find_turns_by_repeats(loops_, streams);
  }
  if (!turns) return std::nullopt;
  return finish(AnchorMethod::kKernelSequence, turns->name.text,
                windows_of_anchor(*turns, loops_, nullptr), true);
}

Cycles CycleSearch::finish(AnchorMethod method, std::string anchor,
                           std::vector<CycleWindow> windows, bool is_turn) {
  Cycles cycles;
  cycles.method = method;
  cycles.anchor = std::move(anchor);
  cycles.comparable_key = question_.by_layer ? "layer:" : "step:";
  if (method == AnchorMethod::kKernelSequence && !is_turn) {
    cycles.comparable_key += "kernels:" + std::to_string(passes().usual_layers());
  } else {
    cycles.comparable_key += anchor_method_name(method);
    cycles.comparable_key += ":" + cycles.anchor;
  }
  fill_cycles(run_, loops_, passes_ ? *passes_ : no_passes_, question_.by_layer, windows, cycles);
  if (asks_to_stop(question_.should_stop)) return cycles;
  if (!question_.by_layer) add_annotations(run_, windows, cycles);
  if (lacks_phases(cycles)) add_phases(run_, passes(), found_.names(), cycles);
  if (passes_ && !question_.by_layer && !is_turn) mark_cut_steps(*passes_, cycles);
  if (!question_.by_layer) settle_pauses(cycles);
  return cycles;
}

}  // namespace tactus

#include "sources/kineto/translation.h"

#include <algorithm>

#include "base/json.h"
#include "sources/kineto/json_scan.h"

namespace tactus::kineto {
namespace {

/// Above this number of shapes, arguments are kept as one JSON text per event. So a trace in which
/// every event has other keys cannot use up the memory.
constexpr std::size_t kMostShapes = 20'000;

Action action_of(std::string_view phase) {
  if (phase.size() != 1) return Action::kUnsupported;
  switch (phase[0]) {
    case 'X': return Action::kSlice;
    case 'B': return Action::kBegin;
    case 'E': return Action::kEnd;
    case 'i':
    case 'I':  // as old traces write it
    case 'R':  // a mark
      return Action::kInstant;
    case 'C': return Action::kCounter;
    case 'M': return Action::kMetadata;
    case 's':
    case 't':
    case 'f': return Action::kFlow;
    default: return Action::kUnsupported;
  }
}

}  // namespace

ValueType value_type(Hole hole) {
  switch (hole) {
    case Hole::kTime:
    case Hole::kInt: return ValueType::kInt;
    case Hole::kDecimal:
    case Hole::kNumber: return ValueType::kDecimal;
    case Hole::kText: return ValueType::kText;
    case Hole::kJson: return ValueType::kJson;
    case Hole::kBool: return ValueType::kBool;
    case Hole::kNull: return ValueType::kNull;
  }
  return ValueType::kNull;
}

void Translation::learn(EventBatch& batch) {
  raw_texts_.insert(raw_texts_.end(), batch.new_texts.begin(), batch.new_texts.end());
  texts_.resize(raw_texts_.size());
  jsons_.resize(raw_texts_.size());
  for (LayoutFacts& layout : batch.new_layouts) layouts_.push_back(std::move(layout));
  plans_.resize(layouts_.size());
  batch.new_texts.clear();
  batch.new_layouts.clear();
}

Plan Translation::make_plan(const LayoutFacts& layout) {
  const std::string_view phase = raw_text(layout.phase);
  Plan plan;
  plan.action = action_of(phase);
  plan.drop_reason =
      phase.empty() ? "no_phase" : "unsupported_phase_" + std::string(phase.substr(0, 8));
  plan.category = builder_->category(builder_->run().strings[text(layout.category)]);
  const SliceKind kind = builder_->run().categories[plan.category.value].kind;
  plan.on_device = runs_on_device(kind);
  plan.values = layout.steps.size();

  bool has_begin = false, has_end = false;
  ArgShape shape;
  const auto pick = [&](int value, Hole hole, const std::string& key) {
    const StringId id = builder_->intern(key);
    plan.picks.push_back({value, hole, id});
    shape.push_back({id, value_type(hole)});
  };
  for (int i = 0; i < static_cast<int>(layout.steps.size()); ++i) {
    const Step& step = layout.steps[static_cast<std::size_t>(i)];
    const std::string_view key = builder_->run().strings[text(step.key)];
    switch (step.role) {
      case Role::kName: plan.name = i; break;
      case Role::kPid:
        plan.pid = i;
        plan.pid_hole = step.hole;
        break;
      case Role::kTid:
        plan.tid = i;
        plan.tid_hole = step.hole;
        break;
      case Role::kTime: plan.time = i; break;
      case Role::kDuration: plan.duration = i; break;
      case Role::kId:
        plan.id = i;
        plan.id_hole = step.hole;
        pick(i, step.hole, "@id");
        break;
      case Role::kStackFrame:
        plan.only_flow_fields = false;
        pick(i, step.hole, "@sf");
        plan.picks.back().is_stack = true;
        shape.back().type = ValueType::kStack;
        break;
      case Role::kField:
        plan.bad_time |= key == "ts" || key == "dur";
        if (key == "bp" && step.hole == Hole::kText) {
          plan.binding = i;
        } else {
          plan.only_flow_fields = false;
        }
        pick(i, step.hole, "@" + std::string(key));
        break;
      case Role::kArg:
        plan.only_flow_fields = false;
        if (step.hole == Hole::kInt && key == "correlation") plan.correlation = i;
        if (step.hole == Hole::kInt && key == "device") plan.device = i;
        if (step.hole == Hole::kInt && key == "stream") plan.stream = i;
        has_begin |= key == "BeginNs";
        has_end |= key == "EndNs";
        pick(i, step.hole, (key.starts_with('@') ? "@" : "") + std::string(key));
        break;
    }
  }
  plan.has_begin_ns = has_begin && has_end;
  if (phase.empty() && layout.steps.empty()) plan.action = Action::kNothing;
  if (plan.action == Action::kFlow || plan.action == Action::kMetadata) {
    // Their tables hold several phases.
    plan.phase = text(layout.phase);
    shape.push_back({builder_->intern("@ph"), ValueType::kText});
  }
  plan.as_json = !builder_->has_shape(shape) && builder_->run().shapes.size() >= kMostShapes;
  if (plan.as_json) shape = {{builder_->intern("@json"), ValueType::kJson}};
  plan.shape = builder_->shape(shape);
  const bool plain = !plan.as_json && std::none_of(plan.picks.begin(), plan.picks.end(),
                                                   [](const auto& one) { return one.is_stack; });
  if (plan.action == Action::kSlice && plan.shape.value != 0 && plain) {
    plan.table = &builder_->run().slices.arg_table(plan.shape, shape.size());
  }
  return plan;
}

StringId Translation::translate_text(std::string_view raw) {
  bool repaired = false;
  const std::string text = unescape(raw, repaired);
  if (repaired) builder_->repair("invalid_text");
  return builder_->intern(text);
}

StringId Translation::translate_json(std::string_view raw) {
  if (const std::optional<std::string> compact = compact_json(raw)) {
    return builder_->intern(*compact);
  }
  // Kept as a JSON string of the text that should have been a value.
  builder_->repair("invalid_json_value");
  const Json text = std::string(raw);
  return builder_->intern(text.dump());
}

}  // namespace tactus::kineto

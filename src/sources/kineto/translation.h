#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "run/builder.h"
#include "sources/kineto/layout.h"

namespace tactus::kineto {

/// What an event turns into.
enum class Action : std::uint8_t {
  kSlice,
  kBegin,
  kEnd,
  kInstant,
  kCounter,
  kMetadata,
  kFlow,
  kUnsupported,
  kNothing,  ///< an empty object, which some profilers put before or after the events
};

/// The role of each value, for all events of one layout.
struct Plan {
  static constexpr int kAbsent = -1;

  Action action = Action::kUnsupported;
  std::string drop_reason;  ///< of unsupported events
  CategoryId category;
  bool on_device = false;
  ShapeId shape = ShapeId(0);
  StringId phase;        ///< kept as the last argument; not valid if not needed
  bool as_json = false;  ///< all arguments go into one JSON text
  std::size_t values = 0;
  int name = kAbsent;
  int pid = kAbsent;
  int tid = kAbsent;
  int time = kAbsent;
  int duration = kAbsent;
  int id = kAbsent;
  int correlation = kAbsent;
  int device = kAbsent;
  int stream = kAbsent;
  int binding = kAbsent;  ///< `bp` of a flow
  bool only_flow_fields = true;
  bool has_begin_ns = false;  ///< rocprof's exact times are among the arguments
  bool bad_time = false;      ///< a time or duration is there, but is not a number
  Hole pid_hole = Hole::kNull;
  Hole tid_hole = Hole::kNull;
  Hole id_hole = Hole::kNull;

  struct Pick {
    int value = 0;
    Hole hole = Hole::kNull;
    StringId key;           ///< in the Run, '@' in front for fields of the event itself
    bool is_stack = false;  ///< names a stack frame
  };
  std::vector<Pick> picks;    ///< the arguments, in the order of the shape
  ArgTable* table = nullptr;  ///< where arguments of slices go, if translating their values is
                              ///< enough

  // The track of the event before, which is mostly the track of this one too.
  std::int64_t last_pid = 0;
  std::int64_t last_tid = 0;
  TrackId last_track;
};

/// Translates a scanner's dictionary to a Run, each text and layout once. It keeps its own list of
/// the entries, because the scanner continues to change the dictionary.
class Translation {
 public:
  Translation(std::shared_ptr<const Dictionary> dictionary, RunBuilder& builder)
      : dictionary_(std::move(dictionary)), builder_(&builder) {}

  void learn(EventBatch& batch);

  const Dictionary* dictionary() const { return dictionary_.get(); }

  bool is_last_user() const { return dictionary_.use_count() == 1; }

  /// Plans remember tracks of one source only.
  void forget_tracks() {
    for (const auto& plan : plans_) {
      if (plan) plan->last_track = TrackId();
    }
  }

  Plan& plan(std::uint32_t layout) {
    if (!plans_[layout]) plans_[layout] = std::make_unique<Plan>(make_plan(layouts_[layout]));
    return *plans_[layout];
  }

  /// The Run's id of a string value.
  StringId text(std::int64_t pooled) {
    StringId& id = texts_[static_cast<std::size_t>(pooled)];
    if (!id.valid()) id = translate_text(raw_text(pooled));
    return id;
  }

  /// The Run's id of an array or object.
  StringId json(std::int64_t pooled) {
    StringId& id = jsons_[static_cast<std::size_t>(pooled)];
    if (!id.valid()) id = translate_json(raw_text(pooled));
    return id;
  }

  /// A value as the Run keeps it, of the type that `value_type` says.
  std::int64_t value(Hole hole, std::int64_t raw) {
    switch (hole) {
      case Hole::kText: return text(raw).value;
      case Hole::kJson: return json(raw).value;
      case Hole::kNumber: return Decimal::from_text(raw_text(raw), builder_->run().strings);
      default: return raw;
    }
  }

  std::string_view raw_text(std::int64_t pooled) const {
    return raw_texts_[static_cast<std::size_t>(pooled)];
  }

 private:
  Plan make_plan(const LayoutFacts& layout);
  StringId translate_text(std::string_view raw);
  StringId translate_json(std::string_view raw);

  std::shared_ptr<const Dictionary> dictionary_;  ///< keeps the texts alive
  RunBuilder* builder_;
  std::vector<LayoutFacts> layouts_;
  std::vector<std::unique_ptr<Plan>> plans_;  ///< by layout
  std::vector<std::string_view> raw_texts_;
  std::vector<StringId> texts_;  ///< by raw text: its id in the Run as a string
  std::vector<StringId> jsons_;  ///< and as an array or object
};

ValueType value_type(Hole hole);

}  // namespace tactus::kineto

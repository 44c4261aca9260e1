#pragma once

#include <cstdint>
#include <vector>

#include "run/event_view.h"
#include "run/run.h"
#include "views/export/protobuf_writer.h"

namespace tactus {

/// The texts of a run that were written already. Perfetto numbers names, categories, keys of
/// arguments and their texts separately.
class PerfettoTexts {
 public:
  enum Kind : std::uint8_t { kName, kCategory, kKey, kValue };
  static constexpr std::size_t kKinds = 4;

  explicit PerfettoTexts(std::size_t strings) {
    for (std::vector<std::uint32_t>& numbers : numbers_) numbers.resize(strings, 0);
  }

  /// Its number, from 1 on; `wanted` gets it if it was not written yet.
  std::uint32_t number(Kind kind, StringId id) {
    if (id.value >= numbers_[kind].size()) id = StringId(0);  // a damaged file
    std::uint32_t& number = numbers_[kind][id.value];
    if (number == 0) {
      number = ++last_[kind];
      unwritten_.push_back({kind, id, number});
    }
    return number;
  }

  bool has_unwritten() const { return !unwritten_.empty(); }
  /// The InternedData of a packet.
  void write(const Run& run, ProtobufWriter& out);

 private:
  struct Unwritten {
    Kind kind;
    StringId id;
    std::uint32_t number;
  };

  std::vector<std::uint32_t> numbers_[kKinds];  ///< by StringId; 0: not written yet
  std::uint32_t last_[kKinds] = {};
  std::vector<Unwritten> unwritten_;
};

/// Numbers the texts of an event's arguments, so that they can be written before it.
void number_arg_texts(const Run& run, const EventTable& events, const EventView& event,
                      PerfettoTexts& texts);

/// The arguments of an event, as debug annotations.
void write_args(const Run& run, const EventTable& events, const EventView& event,
                PerfettoTexts& texts, ProtobufWriter& out);

}  // namespace tactus

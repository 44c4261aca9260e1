#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "run/builder.h"
#include "sources/perfetto/schema.h"

namespace tactus::perfetto {

/// What the packets of one writer share until it clears its state: numbered texts and defaults.
class Sequence {
 public:
  enum Kind : std::uint8_t { kName, kCategory, kKey, kValue };

  void clear() {
    for (auto& texts : texts_) texts.clear();
    defaults = {};
  }

  /// The InternedData of a packet.
  void add_texts(std::string_view interned_data, RunBuilder& builder);
  /// The TracePacketDefaults of a packet.
  void add_defaults(std::string_view bytes);

  /// The text of a number; nothing if it was not defined.
  std::optional<StringId> text(Kind kind, std::uint64_t iid) const {
    const auto found = texts_[kind].find(iid);
    if (found == texts_[kind].end()) return std::nullopt;
    return found->second;
  }

  struct Defaults {
    std::uint32_t clock = kBoottimeClock;
    std::optional<std::uint64_t> track_uuid;
    std::vector<std::uint64_t> extra_counter_tracks;
    std::vector<std::uint64_t> extra_double_counter_tracks;
  };
  Defaults defaults;
  /// Of writers that describe their thread and not their tracks.
  std::optional<std::uint64_t> own_track;

 private:
  std::array<std::unordered_map<std::uint64_t, StringId>, 4> texts_;
};

}  // namespace tactus::perfetto

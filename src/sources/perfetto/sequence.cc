#include "sources/perfetto/sequence.h"

#include "sources/perfetto/wire.h"

namespace tactus::perfetto {

void Sequence::add_texts(std::string_view interned_data, RunBuilder& builder) {
  Message data(interned_data);
  for (Field field; data.next(field);) {
    if (!field.is_bytes) continue;
    Kind kind = kName;
    switch (field.number) {
      case interned::kNames: break;
      case interned::kCategories: kind = kCategory; break;
      case interned::kAnnotationNames: kind = kKey; break;
      case interned::kAnnotationStrings: kind = kValue; break;
      default: continue;  // frames, mappings, histograms and others
    }
    std::uint64_t iid = 0;
    std::string_view text;
    Message entry(field.bytes);
    for (Field part; entry.next(part);) {
      if (part.number == interned::kIid && !part.is_bytes) iid = part.value;
      if (part.number == interned::kText && part.is_bytes) text = part.bytes;
    }
    if (iid != 0) texts_[kind][iid] = builder.intern_repaired(text);
  }
}

void Sequence::add_defaults(std::string_view bytes) {
  defaults = {};
  Message message(bytes);
  for (Field field; message.next(field);) {
    if (field.number == packet_defaults::kTimestampClockId && !field.is_bytes) {
      defaults.clock = static_cast<std::uint32_t>(field.value);
    }
    if (field.number != packet_defaults::kTrackEvent || !field.is_bytes) continue;
    Message event(field.bytes);
    for (Field part; event.next(part);) {
      if (part.number == event_defaults::kTrackUuid) defaults.track_uuid = part.value;
      if (part.number == event_defaults::kExtraCounterTracks) {
        for_each_number(part, false,
                        [&](std::uint64_t uuid) { defaults.extra_counter_tracks.push_back(uuid); });
      }
      if (part.number == event_defaults::kExtraDoubleCounterTracks) {
        for_each_number(part, false, [&](std::uint64_t uuid) {
          defaults.extra_double_counter_tracks.push_back(uuid);
        });
      }
    }
  }
}

}  // namespace tactus::perfetto

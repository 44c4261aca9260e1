#include "sources/perfetto/perfetto.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "sources/bytes/inflate.h"
#include "sources/perfetto/clocks.h"
#include "sources/perfetto/events.h"
#include "sources/perfetto/schema.h"
#include "sources/perfetto/sequence.h"
#include "sources/perfetto/tracks.h"
#include "sources/perfetto/wire.h"
#include "sources/text/finish_source.h"

namespace tactus::perfetto {
namespace {

constexpr std::size_t kReadBytes = 1 << 20;
constexpr std::size_t kMostInflated = 256 << 20;  // of one packet
constexpr std::uint64_t kPacketsPerProgress = 1 << 14;
constexpr int kCheckedPackets = 4;

/// Packets about the recording itself, which hold no events: the configuration, statistics and the
/// like. All others that are not read are counted.
bool is_about_recording(std::uint32_t field) {
  static constexpr std::uint32_t kFields[] = {2,   // process tree
                                              33,  // trace configuration
                                              35,  // statistics
                                              36,  // synchronization marker
                                              45,  // system
                                              46,  // trigger
                                              69,  // service event
                                              89,  // uuid of the trace
                                              packet::kClockSnapshot,
                                              packet::kTrackDescriptor,
                                              packet::kProcessDescriptor,
                                              packet::kThreadDescriptor,
                                              packet::kInternedData,
                                              packet::kDefaults,
                                              packet::kTactusFacts};
  return std::find(std::begin(kFields), std::end(kFields), field) != std::end(kFields);
}

/// Fields of a packet that say when and from whom it is.
bool is_envelope(std::uint32_t field) {
  static constexpr std::uint32_t kFields[] = {3,   // user
                                              42,  // previous packet was dropped
                                              79,  // process
                                              98,  // machine
                                              packet::kTimestamp,
                                              packet::kSequenceId,
                                              packet::kSequenceFlags,
                                              packet::kIncrementalStateCleared,
                                              packet::kTimestampClockId,
                                              packet::kFirstOnSequence};
  return std::find(std::begin(kFields), std::end(kFields), field) != std::end(kFields);
}

class TraceReader {
 public:
  TraceReader(RunBuilder& builder, std::string path)
      : builder_(builder), path_(std::move(path)), tracks_(builder), events_(builder, tracks_) {}

  void take(std::string_view bytes) {
    Packet packet;
    Message message(bytes);
    for (Field field; message.next(field);) note(field, packet);
    if (message.is_damaged()) {
      builder_.drop("malformed_event");
      return;
    }
    for (const std::string_view compressed : packet.compressed) take_compressed(compressed);
    begin(packet);
    take_state(packet);
    for (const std::string_view snapshot : packet.snapshots) {
      clocks_.add_snapshot(packet.sequence, snapshot);
    }
    if (!packet.track.empty()) tracks_.add_descriptor(packet.track);
    if (!packet.own_process.empty()) tracks_.add_own_process(packet.own_process);
    if (packet.has_event) take_event(packet);
    if (packet.unread != 0) {
      const bool is_gpu = packet.unread == packet::kGpuRenderStageEvent;
      builder_.drop(is_gpu ? "gpu_render_stage_event"
                           : "packet_field_" + std::to_string(packet.unread));
    }
  }

  /// Ends all sources that the trace holds.
  void finish(const InputBytes& bytes) {
    begin({});
    events_.finish();
    const std::int64_t base_ns = clocks_.base_ns();
    builder_.end_source(base_ns, bytes.disk_bytes());
    Run& run = builder_.run();
    for (std::size_t i = first_source_; i < run.sources.size(); ++i) {
      run.sources[i].base_ns = run.sources.back().base_ns;
      run.sources[i].bytes = i == first_source_ ? bytes.disk_bytes() : 0;
    }
  }

 private:
  /// The fields of a packet that are read.
  struct Packet {
    std::uint32_t sequence = 0;
    std::uint64_t timestamp = 0;
    bool has_timestamp = false;
    std::optional<std::uint32_t> clock;
    bool clears_state = false;
    bool has_event = false;
    std::string_view event;
    std::string_view track;
    std::string_view own_process;
    std::string_view own_thread;
    std::string_view defaults;
    std::string_view facts;
    std::vector<std::string_view> interned;
    std::vector<std::string_view> snapshots;
    std::vector<std::string_view> compressed;
    std::uint32_t unread = 0;  ///< the field that holds what is not read
  };

  static void note(const Field& field, Packet& packet) {
    switch (field.number) {
      case packet::kSequenceId: packet.sequence = static_cast<std::uint32_t>(field.value); return;
      case packet::kTimestamp:
        packet.timestamp = field.value;
        packet.has_timestamp = true;
        return;
      case packet::kTimestampClockId:
        packet.clock = static_cast<std::uint32_t>(field.value);
        return;
      case packet::kSequenceFlags:
        packet.clears_state |= (field.value & kStateCleared) != 0;
        return;
      case packet::kIncrementalStateCleared: packet.clears_state |= field.value != 0; return;
      default: break;
    }
    if (!field.is_bytes) {
      if (!is_envelope(field.number) && !is_about_recording(field.number)) {
        packet.unread = field.number;
      }
      return;
    }
    switch (field.number) {
      case packet::kTrackEvent:
        packet.event = field.bytes;
        packet.has_event = true;
        break;
      case packet::kTrackDescriptor: packet.track = field.bytes; break;
      case packet::kProcessDescriptor: packet.own_process = field.bytes; break;
      case packet::kThreadDescriptor: packet.own_thread = field.bytes; break;
      case packet::kDefaults: packet.defaults = field.bytes; break;
      case packet::kInternedData: packet.interned.push_back(field.bytes); break;
      case packet::kClockSnapshot: packet.snapshots.push_back(field.bytes); break;
      case packet::kCompressedPackets: packet.compressed.push_back(field.bytes); break;
      case packet::kTactusFacts: packet.facts = field.bytes; break;
      default:
        if (!is_envelope(field.number) && !is_about_recording(field.number)) {
          packet.unread = field.number;
        }
    }
  }

  /// Starts the source with the first packet: if Tactus wrote the trace, that one has its facts.
  void begin(const Packet& packet) {
    if (has_begun_) return;
    has_begun_ = true;
    first_source_ = builder_.run().sources.size();
    std::optional<TactusFacts> facts;
    if (!packet.facts.empty()) facts = add_tactus_facts(packet.facts, path_, builder_);
    if (facts) {
      tracks_.set_facts(std::move(*facts));
    } else {
      builder_.begin_source(path_, "perfetto");
    }
    events_.begin();
  }

  /// What the packets of a sequence share. Sequences that share nothing are not kept.
  void take_state(const Packet& packet) {
    if (packet.clears_state) {
      if (const auto known = sequences_.find(packet.sequence); known != sequences_.end()) {
        known->second.clear();
      }
    }
    const bool has_state =
        !packet.interned.empty() || !packet.defaults.empty() || !packet.own_thread.empty();
    if (!has_state) return;
    Sequence& sequence = sequences_[packet.sequence];
    for (const std::string_view data : packet.interned) sequence.add_texts(data, builder_);
    if (!packet.defaults.empty()) sequence.add_defaults(packet.defaults);
    if (!packet.own_thread.empty()) {
      sequence.own_track = tracks_.add_own_thread(packet.own_thread);
    }
  }

  void take_event(const Packet& packet) {
    static const Sequence kNothing;
    const auto known = sequences_.find(packet.sequence);
    const Sequence& sequence = known == sequences_.end() ? kNothing : known->second;
    if (!packet.has_timestamp) {
      builder_.drop("no_timestamp");
      return;
    }
    const auto time = clocks_.time(packet.sequence, packet.clock.value_or(sequence.defaults.clock),
                                   packet.timestamp);
    if (!time) {
      builder_.drop("unknown_clock");
    } else if (*time < -kLatestTime / 2 || *time > kLatestTime / 2) {
      builder_.drop("bad_timestamp");
    } else {
      events_.add(packet.event, *time, sequence);
    }
  }

  void take_compressed(std::string_view compressed) {
    if (is_inflated_) {
      builder_.drop("malformed_event");  // compressed twice
      return;
    }
    const std::optional<std::string> packets = inflate_zlib(compressed, kMostInflated);
    if (!packets) {
      builder_.drop("damaged_compressed_packets");
      return;
    }
    is_inflated_ = true;
    Message message(*packets);
    for (Field field; message.next(field);) {
      if (field.number == trace::kPacket && field.is_bytes) take(field.bytes);
    }
    if (message.is_damaged()) builder_.drop("malformed_event");
    is_inflated_ = false;
  }

  RunBuilder& builder_;
  std::string path_;
  TrackTable tracks_;
  TrackEvents events_;
  TraceClocks clocks_;
  std::map<std::uint32_t, Sequence> sequences_;
  std::size_t first_source_ = 0;
  bool has_begun_ = false;
  bool is_inflated_ = false;
};

/// The size of the field at the front, with its tag; nothing if that does not show yet. `packet` is
/// its content if it is a packet.
struct TopField {
  enum State : std::uint8_t { kWhole, kNeedsMore, kDamaged };
  State state = kDamaged;
  std::size_t size = 0;
  std::string_view packet;
  bool is_packet = false;
};

TopField top_field(std::string_view text) {
  constexpr std::size_t kLongestHead = 20;  // two varints
  TopField out;
  std::string_view rest = text;
  std::uint64_t tag = 0, length = 0;
  const bool may_continue = text.size() < kLongestHead;
  out.state = may_continue ? TopField::kNeedsMore : TopField::kDamaged;
  if (!read_varint(rest, tag) || ((tag & 7) != 2 && !rest.empty()) || !read_varint(rest, length)) {
    if ((tag & 7) != 2 && !rest.empty()) out.state = TopField::kDamaged;
    return out;
  }
  const std::size_t head = text.size() - rest.size();
  out.state = TopField::kNeedsMore;
  if (length > rest.size()) return out;
  out.state = TopField::kWhole;
  out.size = head + length;
  out.packet = rest.substr(0, length);
  out.is_packet = tag >> 3 == trace::kPacket;
  return out;
}

/// True if all fields of a packet can be read and at least one is known.
bool looks_like_packet(std::string_view bytes) {
  bool is_known = false;
  Message message(bytes);
  for (Field field; message.next(field);) {
    is_known |= is_envelope(field.number) || is_about_recording(field.number) ||
                field.number == packet::kTrackEvent || field.number == packet::kCompressedPackets;
  }
  return !message.is_damaged() && is_known;
}

}  // namespace

bool is_trace(std::string_view head) {
  int packets = 0;
  while (!head.empty() && packets < kCheckedPackets) {
    const TopField field = top_field(head);
    if (field.state == TopField::kDamaged || head.front() != '\x0A') return false;
    if (field.state == TopField::kNeedsMore) break;
    if (!looks_like_packet(field.packet)) return false;
    ++packets;
    head.remove_prefix(field.size);
  }
  if (packets > 0) return true;
  // One packet that is larger than all that can be seen: its fields must make sense so far.
  std::string_view rest = head;
  std::uint64_t number = 0;
  if (!read_varint(rest, number) || number != (trace::kPacket << 3 | 2)) return false;
  if (!read_varint(rest, number) || number < rest.size()) return false;
  Message message(rest);
  for (Field field; message.next(field);) {
    if (field.number == packet::kSequenceId && !field.is_bytes) return true;
    if (field.number == packet::kTimestamp && !field.is_bytes) return true;
  }
  // compressed_packets
  return rest.size() > 2 && rest.starts_with("\x92\x03");
}

Status import(InputBytes& bytes, RunBuilder& builder, Progress& progress) {
  TraceReader reader(builder, bytes.path());
  std::string buffer;
  std::size_t at = 0;
  std::uint64_t packets = 0;
  std::string stopped;
  for (bool at_end = false; stopped.empty();) {
    const TopField field = top_field(std::string_view(buffer).substr(at));
    if (field.state == TopField::kWhole) {
      if (field.is_packet) reader.take(field.packet);
      at += field.size;
      if (++packets % kPacketsPerProgress == 0) {
        progress.update("reading", bytes.disk_bytes(), bytes.disk_size());
      }
      continue;
    }
    if (field.state == TopField::kDamaged) {
      stopped = "the trace is damaged";
      break;
    }
    if (at_end) {
      if (at != buffer.size()) stopped = "the trace ends inside of a packet";
      break;
    }
    buffer.erase(0, at);
    at = 0;
    const std::size_t held = buffer.size();
    buffer.resize(held + std::max(kReadBytes, held));  // large packets need few rounds
    const Result<std::size_t> read = bytes.read(buffer.data() + held, buffer.size() - held);
    if (!read) return read.error();
    buffer.resize(held + *read);
    at_end = *read == 0;
  }
  reader.finish(bytes);
  if (!bytes.problem().empty()) builder.warn(bytes.problem());
  if (!stopped.empty()) {
    builder.drop("truncated_input");
    builder.warn(bytes.path() + ": " + stopped + " after " + std::to_string(packets) +
                 " packets; everything before was kept");
  } else if (bytes.cut_short()) {
    builder.drop("truncated_input");
  }
  return {};
}

}  // namespace tactus::perfetto

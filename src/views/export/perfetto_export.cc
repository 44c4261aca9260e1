#include <algorithm>
#include <array>
#include <cmath>

#include "base/arithmetic.h"
#include "run/event_view.h"
#include "sources/perfetto/schema.h"
#include "views/export/exported_events.h"
#include "views/export/exports.h"
#include "views/export/perfetto_args.h"
#include "views/export/perfetto_flows.h"
#include "views/export/perfetto_lanes.h"
#include "views/export/perfetto_tracks.h"
#include "views/export/protobuf_writer.h"

namespace tactus {
namespace {

namespace packet = perfetto::packet;

constexpr std::uint64_t kSequence = 1;
constexpr std::size_t kSlicesPerProgress = 1 << 16;
constexpr std::int64_t kFirstEpochTime = 946'684'800'000'000'000;  // the year 2000
/// Perfetto's clock counts from the boot: the first event is this late.
constexpr std::int64_t kLeadNs = 1'000'000'000;

class PerfettoWriter {
 public:
  PerfettoWriter(const Run& run, const WantedSlices& wanted, OutputFile& file, Progress& progress)
      : run_(run),
        exported_(run, wanted),
        progress_(progress),
        out_(file),
        tracks_(run),
        texts_(run.strings.size()) {
    choose_clock();
  }

  Status write() {
    select_slices();
    write_head();
    write_tracks();
    write_slices();
    write_instants();
    write_counters();
    return out_.finish();
  }

 private:
  /// With a real clock, times count from shortly before the recording, and a clock snapshot says
  /// when that was. Otherwise they stay as they were recorded.
  void choose_clock() {
    std::int64_t earliest = 0;
    const auto look = [&](const Column& times) {
      times.for_each_piece(0, times.size(), [&](std::size_t, std::span<const std::int64_t> piece) {
        for (const std::int64_t time : piece) earliest = std::min(earliest, time);
      });
    };
    look(run_.slices.start());
    look(run_.instants.start());
    look(run_.counters.time());
    has_epoch_ = run_.origin_ns >= kFirstEpochTime;
    lead_ns_ = has_epoch_ ? kLeadNs : run_.origin_ns;
    if (wrapping_add(lead_ns_, earliest) < 0) lead_ns_ = wrapping_subtract(kLeadNs, earliest);
  }

  std::uint64_t timestamp(std::int64_t run_ns) const {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(wrapping_add(run_ns, lead_ns_), 0));
  }

  /// The rows of each track, and where their arguments are.
  void select_slices() {
    const EventTable& slices = run_.slices;
    rows_of_track_.resize(run_.tracks.size());
    arg_rows_.resize(slices.size());
    shapes_.resize(slices.size());
    std::vector<bool> is_written(slices.size(), false);
    for_each_event(run_, slices, [&](const EventView& event) {
      arg_rows_[event.row] = static_cast<std::uint32_t>(event.arg_row);
      shapes_[event.row] = event.shape;
      if (event.track >= run_.tracks.size() || !exported_.takes_slice(event)) return;
      rows_of_track_[event.track].push_back(static_cast<std::uint32_t>(event.row));
      is_written[event.row] = true;
    });
    flows_ = std::make_unique<PerfettoFlows>(run_, is_written);
  }

  std::size_t begin_packet(std::uint64_t flags) {
    out_.flush_if_full();
    const std::size_t start = out_.begin(perfetto::trace::kPacket);
    out_.number(packet::kSequenceId, kSequence);
    if (flags != 0) out_.number(packet::kSequenceFlags, flags);
    return start;
  }

  void write_head() {
    std::size_t start = begin_packet(perfetto::kStateCleared);
    out_.number(packet::kFirstOnSequence, 1);
    out_.text(packet::kTactusFacts, perfetto_facts(run_, tracks_.uuids()));
    out_.end(start);
    if (!has_epoch_) return;
    start = begin_packet(0);
    const std::size_t snapshot = out_.begin(packet::kClockSnapshot);
    write_clock(perfetto::kBoottimeClock, lead_ns_);
    write_clock(perfetto::kRealtimeClock, run_.origin_ns);
    out_.end(snapshot);
    out_.end(start);
  }

  void write_clock(std::uint32_t clock_id, std::int64_t time_ns) {
    const std::size_t clock = out_.begin(perfetto::clock_snapshot::kClocks);
    out_.number(perfetto::clock_snapshot::kClockId, clock_id);
    out_.number(perfetto::clock_snapshot::kTimestamp, static_cast<std::uint64_t>(time_ns));
    out_.end(clock);
  }

  template <class Write>
  void write_descriptor(Write&& write) {
    const std::size_t start = begin_packet(0);
    out_.number(packet::kTimestamp, timestamp(0));
    const std::size_t descriptor = out_.begin(packet::kTrackDescriptor);
    write();
    out_.end(descriptor);
    out_.end(start);
  }

  void write_tracks() {
    for (std::size_t i = 0; i < run_.processes.size(); ++i) {
      if (exported_.has(ProcessId(i))) write_descriptor([&] { tracks_.write_process(out_, i); });
    }
    for (std::size_t i = 0; i < run_.tracks.size(); ++i) {
      if (!exported_.has(run_.threads[run_.tracks[i].thread.value].process)) continue;
      write_descriptor([&] { tracks_.write_track(out_, i, 0); });
    }
    for (std::size_t i = 0; i < run_.series.size(); ++i) {
      write_descriptor([&] { tracks_.write_series(out_, i); });
    }
  }

  void write_slices() {
    Lanes lanes;
    std::vector<LaneSlice> slices;
    std::size_t written = 0;
    for (std::size_t track = 0; track < rows_of_track_.size(); ++track) {
      slices.clear();
      for (const std::uint32_t row : rows_of_track_[track]) {
        const std::int64_t start = run_.slices.start()[row];
        const bool is_open = (run_.slices.flags()[row] & kOpenEnd) != 0;
        const std::int64_t end =
            wrapping_add(start, std::max<std::int64_t>(run_.slices.dur()[row], 0));
        slices.push_back({start, is_open ? LaneSlice::kNever : std::max(start, end), row});
      }
      rows_of_track_[track] = {};
      std::size_t lanes_described = 1;
      lanes.walk(
          slices,
          [&](std::size_t lane, const LaneSlice& slice) {
            for (; lanes_described <= lane; ++lanes_described) {
              write_descriptor([&] { tracks_.write_track(out_, track, lanes_described); });
            }
            write_begin(tracks_.uuids().track(track, lane), slice);
            if (++written % kSlicesPerProgress == 0) {
              progress_.update("writing", written, run_.slices.size());
            }
          },
          [&](std::size_t lane, std::int64_t end_ns) {
            write_end(tracks_.uuids().track(track, lane), end_ns);
          });
    }
  }

  EventView view_of(const LaneSlice& slice) const {
    EventView event;
    event.row = slice.row;
    event.start_ns = slice.start_ns;
    event.name = StringId(static_cast<std::uint64_t>(run_.slices.name()[slice.row]));
    event.category = static_cast<std::uint32_t>(run_.slices.category()[slice.row]);
    event.shape = shapes_[slice.row];
    event.arg_row = arg_rows_[slice.row];
    return event;
  }

  void write_begin(std::uint64_t uuid, const LaneSlice& slice) {
    const EventView event = view_of(slice);
    write_event(run_.slices, event, perfetto::kSliceBegin, uuid, [&] {
      for (const std::uint32_t arrow : flows_->from(event.row)) {
        out_.fixed64(perfetto::event::kFlowIds, arrow);
      }
      for (const std::uint32_t arrow : flows_->to(event.row)) {
        out_.fixed64(perfetto::event::kTerminatingFlowIds, arrow);
      }
    });
  }

  void write_end(std::uint64_t uuid, std::int64_t end_ns) {
    const std::size_t start = begin_packet(0);
    out_.number(packet::kTimestamp, timestamp(end_ns));
    const std::size_t body = out_.begin(packet::kTrackEvent);
    out_.number(perfetto::event::kType, perfetto::kSliceEnd);
    out_.number(perfetto::event::kTrackUuid, uuid);
    out_.end(body);
    out_.end(start);
  }

  template <class WriteMore>
  void write_event(const EventTable& events, const EventView& event, std::uint64_t type,
                   std::uint64_t uuid, WriteMore&& write_more) {
    const std::size_t start = begin_packet(perfetto::kNeedsState);
    out_.number(packet::kTimestamp, timestamp(event.start_ns));
    const std::uint32_t name = texts_.number(PerfettoTexts::kName, event.name);
    const std::uint32_t category = category_of(event.category);
    number_arg_texts(run_, events, event, texts_);
    if (texts_.has_unwritten()) texts_.write(run_, out_);
    const std::size_t body = out_.begin(packet::kTrackEvent);
    out_.number(perfetto::event::kType, type);
    out_.number(perfetto::event::kTrackUuid, uuid);
    out_.number(perfetto::event::kNameIid, name);
    if (category != 0) out_.number(perfetto::event::kCategoryIids, category);
    write_more();
    write_args(run_, events, event, texts_, out_);
    out_.end(body);
    out_.end(start);
  }

  /// 0 if it has none.
  std::uint32_t category_of(std::uint32_t category) {
    if (category >= run_.categories.size()) return 0;
    const StringId name = run_.categories[category].name;
    return name.value == 0 ? 0 : texts_.number(PerfettoTexts::kCategory, name);
  }

  void write_instants() {
    for_each_event(run_, run_.instants, [&](const EventView& event) {
      if (event.track >= run_.tracks.size() || !exported_.takes_point(event)) return;
      write_event(run_.instants, event, perfetto::kInstant, tracks_.uuids().track(event.track),
                  [] {});
    });
  }

  void write_counters() {
    const Counters& counters = run_.counters;
    for (std::size_t row = 0; row < counters.rows; ++row) {
      const auto series = static_cast<std::uint64_t>(counters.series()[row]);
      const std::int64_t time = counters.time()[row];
      if (series >= run_.series.size() || !exported_.takes_sample(time)) continue;
      const std::int64_t value = counters.value()[row];
      const std::size_t start = begin_packet(0);
      out_.number(packet::kTimestamp, timestamp(time));
      const std::size_t body = out_.begin(packet::kTrackEvent);
      out_.number(perfetto::event::kType, perfetto::kCounterSample);
      out_.number(perfetto::event::kTrackUuid, tracks_.uuids().series + series);
      if (Decimal::scale(value) == 0) {
        out_.number(perfetto::event::kCounterValue,
                    static_cast<std::uint64_t>(Decimal::mantissa(value)));
      } else {
        out_.real(perfetto::event::kDoubleCounterValue, Decimal::to_double(value, run_.strings));
      }
      out_.end(body);
      out_.end(start);
    }
  }

  const Run& run_;
  ExportedEvents exported_;
  Progress& progress_;
  ProtobufWriter out_;
  PerfettoTracks tracks_;
  PerfettoTexts texts_;
  std::vector<std::vector<std::uint32_t>> rows_of_track_;
  std::vector<std::uint32_t> arg_rows_;  ///< by slice
  std::vector<std::uint32_t> shapes_;    ///< by slice
  std::unique_ptr<PerfettoFlows> flows_;
  bool has_epoch_ = false;
  std::int64_t lead_ns_ = 0;  ///< time 0 of the run on Perfetto's clock
};

}  // namespace

Status write_perfetto(const Run& run, const WantedSlices& wanted, OutputFile& file,
                      Progress& progress) {
  return PerfettoWriter(run, wanted, file, progress).write();
}

}  // namespace tactus

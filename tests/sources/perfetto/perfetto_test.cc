#include "sources/perfetto/perfetto.h"

#include <gtest/gtest.h>

#include "run/event_view.h"
#include "sources/formats.h"
#include "sources/perfetto/schema.h"
#include "sources/sources.h"
#include "support/files.h"
#include "support/protobuf.h"
#include "support/run_text.h"

namespace tactus::perfetto {
namespace {

using testing::Protobuf;
using testing::slice_names;

tactus::Run read_trace(std::string_view bytes) {
  const testing::TemporaryFolder folder;
  NoProgress progress;
  Result<Imported> imported = import_run({.inputs = {folder.write("a.pftrace", bytes)}}, progress);
  EXPECT_TRUE(imported) << (imported ? "" : imported.error().message);
  return imported ? std::move(imported->run) : tactus::Run();
}

/// A packet as a part of the file.
std::string packet_of(const Protobuf& body, std::uint64_t sequence = 1) {
  Protobuf packet = body;
  packet.number(packet::kSequenceId, sequence);
  return Protobuf().message(trace::kPacket, packet).bytes();
}

std::string event_at(std::uint64_t time, const Protobuf& track_event, std::uint64_t sequence = 1) {
  Protobuf packet;
  packet.number(packet::kTimestamp, time).message(packet::kTrackEvent, track_event);
  return packet_of(packet, sequence);
}

Protobuf begin_of(std::string_view name, std::uint64_t track = 1) {
  Protobuf out;
  out.number(event::kType, kSliceBegin).number(event::kTrackUuid, track).text(event::kName, name);
  return out;
}

Protobuf end_on(std::uint64_t track = 1) {
  Protobuf out;
  out.number(event::kType, kSliceEnd).number(event::kTrackUuid, track);
  return out;
}

std::string thread_track(std::uint64_t uuid, std::uint64_t pid, std::uint64_t tid,
                         std::string_view name) {
  Protobuf thread;
  thread.number(thread::kPid, pid).number(thread::kTid, tid).text(thread::kName, name);
  Protobuf track;
  track.number(track::kUuid, uuid).message(track::kThread, thread);
  Protobuf packet;
  packet.message(packet::kTrackDescriptor, track);
  return packet_of(packet);
}

std::string counter_track(std::uint64_t uuid, std::string_view name, const Protobuf& counter) {
  Protobuf track;
  track.number(track::kUuid, uuid).text(track::kName, name).message(track::kCounter, counter);
  Protobuf packet;
  packet.message(packet::kTrackDescriptor, track);
  return packet_of(packet);
}

std::vector<std::string> samples(const tactus::Run& run) {
  std::vector<std::string> out;
  for (std::size_t row = 0; row < run.counters.rows; ++row) {
    const CounterSeries& series = run.series[static_cast<std::size_t>(run.counters.series()[row])];
    out.push_back(std::string(run.strings[series.name]) + " " +
                  Decimal::to_text(run.counters.value()[row], run.strings) +
                  std::string(run.strings[series.unit]));
  }
  return out;
}

TEST(Perfetto, is_recognised_by_its_packets) {
  const std::string trace = event_at(5, begin_of("a"));
  EXPECT_TRUE(is_trace(trace));
  EXPECT_FALSE(is_trace(""));
  EXPECT_FALSE(is_trace("\n{\"traceEvents\":[]}"));
  EXPECT_FALSE(is_trace("\n\n\n\n{\"traceEvents\":[]}"));
  EXPECT_FALSE(is_trace("{\"traceEvents\":[]}"));
  EXPECT_FALSE(is_trace(std::string("SQLite format 3\0", 16)));
  EXPECT_EQ(format_of(trace, "x.bin")->what, "a trace of Perfetto (.pftrace)");
}

TEST(Perfetto, pairs_begin_and_end_on_each_track_in_the_order_of_time) {
  // The events of track 1 are not sorted; track 2 is another thread.
  const auto run = read_trace(thread_track(1, 40, 41, "main") + thread_track(2, 40, 42, "other") +
                              event_at(100, begin_of("outer")) + event_at(500, end_on()) +
                              event_at(200, begin_of("inner")) + event_at(300, end_on()) +
                              event_at(250, begin_of("beside", 2)) + event_at(260, end_on(2)));
  EXPECT_EQ(slice_names(run), (std::vector<std::string>{"outer 400", "inner 100", "beside 10"}));
  ASSERT_EQ(run.threads.size(), 2u);
  EXPECT_EQ(run.strings[run.threads[0].name], "main");
  EXPECT_EQ(run.processes[0].pid.value, 40);
}

TEST(Perfetto, closes_open_slices_at_the_end_and_counts_them) {
  const auto run = read_trace(event_at(100, begin_of("open")) + event_at(150, end_on(7)) +
                              event_at(200, begin_of("done", 2)) + event_at(900, end_on(2)));
  EXPECT_EQ(slice_names(run), (std::vector<std::string>{"open 800", "done 700"}));
  EXPECT_EQ(run.repaired.at("end_missing"), 1u);
  EXPECT_EQ(run.dropped.at("begin_missing"), 1u);
}

TEST(Perfetto, keeps_what_was_whole_of_a_trace_that_was_cut) {
  const std::string trace = event_at(1, begin_of("a")) + event_at(9, end_on());
  const auto run = read_trace(trace + event_at(20, begin_of("b")).substr(0, 9));
  EXPECT_EQ(slice_names(run), (std::vector<std::string>{"a 8"}));
  EXPECT_EQ(run.dropped.at("truncated_input"), 1u);
  ASSERT_EQ(run.warnings.size(), 1u);
  EXPECT_NE(run.warnings[0].find("ends inside of a packet after 2 packets"), std::string::npos);
}

TEST(Perfetto, forgets_numbered_texts_when_the_state_is_cleared) {
  const auto with_name = [](std::string_view name, bool clears) {
    Protobuf entry;
    entry.number(interned::kIid, 1).text(interned::kText, name);
    Protobuf interned;
    interned.message(interned::kNames, entry);
    Protobuf packet;
    packet.number(packet::kSequenceFlags, clears ? 3 : 2).message(packet::kInternedData, interned);
    return packet_of(packet);
  };
  Protobuf begin;
  begin.number(event::kType, kSliceBegin).number(event::kTrackUuid, 1).number(event::kNameIid, 1);
  Protobuf clear;
  clear.number(packet::kSequenceFlags, 1);
  const auto run = read_trace(
      with_name("first", true) + event_at(1, begin) + event_at(2, end_on()) +
      with_name("second", true) + event_at(3, begin) + event_at(4, end_on()) + packet_of(clear) +
      event_at(5, begin) + event_at(6, end_on()) + event_at(7, begin, 2) + event_at(8, end_on()));
  EXPECT_EQ(slice_names(run), (std::vector<std::string>{"first 1", "second 1", " 1", " 1"}));
  EXPECT_EQ(run.repaired.at("missing_name"), 2u);
}

TEST(Perfetto, reads_annotations_as_arguments) {
  const auto annotation = [](const Protobuf& value, std::string_view name) {
    Protobuf out = value;
    return out.text(annotation::kName, name);
  };
  Protobuf list;
  list.message(annotation::kArrayValues, Protobuf().number(annotation::kInt, 4));
  list.message(annotation::kArrayValues, Protobuf().text(annotation::kString, "x\"y"));
  Protobuf begin = begin_of("a");
  begin.message(event::kDebugAnnotations, annotation(Protobuf().number(annotation::kInt, 7), "i"));
  begin.message(
      event::kDebugAnnotations,
      annotation(Protobuf().number(annotation::kInt, static_cast<std::uint64_t>(-7)), "n"));
  begin.message(event::kDebugAnnotations, annotation(Protobuf().number(annotation::kBool, 1), "b"));
  begin.message(event::kDebugAnnotations,
                annotation(Protobuf().real(annotation::kDouble, 2.5), "d"));
  begin.message(event::kDebugAnnotations, annotation(list, "l"));
  begin.message(event::kDebugAnnotations,
                annotation(Protobuf().text(annotation::kJson, "{\"k\": [1]}"), "j"));
  begin.message(event::kDebugAnnotations,
                annotation(Protobuf().number(annotation::kPointer, 0xbeef), "p"));
  const auto run = read_trace(event_at(1, begin) + event_at(2, end_on()));
  std::string line;
  for (const std::string& one : testing::run_lines(run)) {
    if (one.starts_with("slice")) line = one;
  }
  EXPECT_NE(line.find(R"(i:0=7 n:0=-7 b:4=true d:1=2.5 l:3=[4,"x\"y"] j:3={"k":[1]} p:2="0xbeef")"),
            std::string::npos)
      << line;
}

TEST(Perfetto, reads_counters_of_all_kinds) {
  const auto sample = [](std::uint64_t track) {
    Protobuf out;
    return out.number(event::kType, kCounterSample).number(event::kTrackUuid, track);
  };
  Protobuf multiplied;
  multiplied.number(counter::kUnit, kUnitBytes).number(counter::kUnitMultiplier, 1024);
  Protobuf steps;
  steps.number(counter::kIsIncremental, 1).text(counter::kUnitName, "J");
  Protobuf with_extra = begin_of("work");
  with_extra.number(event::kExtraCounterTracks, 12).number(event::kExtraCounterValues, 5);
  with_extra.number(event::kExtraDoubleCounterTracks, 10)
      .real(event::kExtraDoubleCounterValues, 1.5);
  const auto run =
      read_trace(counter_track(10, "load", Protobuf().text(counter::kUnitName, "%")) +
                 counter_track(11, "memory", multiplied) + counter_track(12, "energy", steps) +
                 event_at(1, sample(10).real(event::kDoubleCounterValue, 0.25)) +
                 event_at(2, sample(11).number(event::kCounterValue, 3)) +
                 event_at(3, sample(12).number(event::kCounterValue, 2)) + event_at(4, with_extra) +
                 event_at(5, end_on()) + event_at(6, sample(10)));
  EXPECT_EQ(samples(run), (std::vector<std::string>{"load 0.25%", "memory 3072bytes", "energy 2J",
                                                    "energy 7J", "load 1.5%"}));
  EXPECT_EQ(run.dropped.at("counter_without_number"), 1u);
}

TEST(Perfetto, maps_clocks_by_snapshots) {
  const auto clock = [](std::uint64_t id, std::uint64_t time) {
    Protobuf out;
    return out.number(clock_snapshot::kClockId, id).number(clock_snapshot::kTimestamp, time);
  };
  Protobuf snapshot;
  snapshot.message(clock_snapshot::kClocks, clock(6, 1000));
  snapshot.message(clock_snapshot::kClocks, clock(1, 1'790'000'000'000'001'000));
  snapshot.message(clock_snapshot::kClocks, clock(64, 2)
                                                .number(clock_snapshot::kIsIncremental, 1)
                                                .number(clock_snapshot::kUnitMultiplier, 1000));
  Protobuf first;
  first.message(packet::kClockSnapshot, snapshot);
  Protobuf defaults;
  defaults.message(packet::kDefaults, Protobuf().number(packet_defaults::kTimestampClockId, 64));
  const auto other = [](std::uint64_t time, const Protobuf& event, std::uint64_t id) {
    Protobuf packet;
    packet.number(packet::kTimestamp, time).number(packet::kTimestampClockId, id);
    return packet_of(packet.message(packet::kTrackEvent, event), 2);
  };
  const auto run = read_trace(packet_of(first) + packet_of(defaults) + event_at(3, begin_of("a")) +
                              event_at(4, end_on()) + other(5000, begin_of("b", 2), 6) +
                              other(5001, end_on(2), 6) + other(1, begin_of("lost", 3), 99));
  EXPECT_EQ(slice_names(run), (std::vector<std::string>{"a 4000", "b 1"}));
  EXPECT_EQ(run.origin_ns, 1'790'000'000'000'004'000);
  EXPECT_EQ(run.slices.start()[1], 1000);
  EXPECT_EQ(run.dropped.at("unknown_clock"), 1u);
}

TEST(Perfetto, links_slices_by_flows) {
  Protobuf call = begin_of("hipLaunchKernel");
  call.text(event::kCategories, "hip_api").fixed64(event::kFlowIds, 77);
  Protobuf kernel = begin_of("gemm", 2);
  kernel.text(event::kCategories, "kernel_dispatch").fixed64(event::kTerminatingFlowIds, 77);
  Protobuf later = begin_of("later", 3);
  later.fixed64(event::kFlowIds, 77);
  const auto run =
      read_trace(event_at(1, call) + event_at(2, end_on()) + event_at(5, kernel) +
                 event_at(9, end_on(2)) + event_at(20, later) + event_at(21, end_on(3)));
  ASSERT_EQ(run.links.rows, 1u);
  EXPECT_EQ(run.links.kind()[0], static_cast<std::int64_t>(LinkKind::kLaunch));
  EXPECT_EQ(run.links.from()[0], 0);
  EXPECT_EQ(run.links.to()[0], 1);
  EXPECT_EQ(run.kind_of(run.slices.category()[1]), SliceKind::kKernel);
}

TEST(Perfetto, takes_device_and_stream_from_the_names_of_tracks) {
  Protobuf gpu;
  gpu.number(track::kUuid, 5).text(track::kName, "GPU 3");
  Protobuf stream;
  stream.number(track::kUuid, 6)
      .number(track::kParentUuid, 5)
      .text(track::kName, "Stream #14(Compute)");
  Protobuf kernel = begin_of("gemm", 6);
  kernel.text(event::kCategories, "kernel");
  const auto run = read_trace(event_at(5, kernel) + event_at(9, end_on(6)) +
                              packet_of(Protobuf().message(packet::kTrackDescriptor, gpu)) +
                              packet_of(Protobuf().message(packet::kTrackDescriptor, stream)));
  ASSERT_EQ(run.tracks.size(), 1u);
  EXPECT_TRUE(run.tracks[0].on_device);
  EXPECT_EQ(run.tracks[0].device_index, 3);
  EXPECT_EQ(run.tracks[0].stream, 14);
}

TEST(Perfetto, reads_legacy_events_of_the_simple_phases) {
  const auto legacy = [](char phase, std::string_view name) {
    Protobuf body;
    body.number(legacy::kPhase, static_cast<std::uint64_t>(phase)).number(legacy::kDurationUs, 3);
    Protobuf out;
    out.number(event::kTrackUuid, 1).text(event::kName, name);
    return out.message(event::kLegacyEvent, body);
  };
  const auto run =
      read_trace(event_at(1000, legacy('X', "whole")) + event_at(9000, legacy('B', "half")) +
                 event_at(9500, legacy('E', "")) + event_at(9600, legacy('I', "mark")) +
                 event_at(9700, legacy('b', "async")));
  EXPECT_EQ(slice_names(run), (std::vector<std::string>{"whole 3000", "half 500"}));
  EXPECT_EQ(run.instants.size(), 1u);
  EXPECT_EQ(run.dropped.at("unsupported_phase_b"), 1u);
}

TEST(Perfetto, reads_compressed_packets) {
  const std::string packets = event_at(1, begin_of("a")) + event_at(9, end_on());
  // A zlib stream of one stored block.
  std::string stored("\x78\x01\x01", 3);
  const auto size = static_cast<std::uint16_t>(packets.size());
  for (const int value : {size & 255, size >> 8, ~size & 255, (~size >> 8) & 255}) {
    stored.push_back(static_cast<char>(value));
  }
  stored += packets;
  std::uint32_t a = 1, b = 0;
  for (const char c : packets) {
    a = (a + static_cast<unsigned char>(c)) % 65521;
    b = (b + a) % 65521;
  }
  for (const std::uint32_t value : {b >> 8, b, a >> 8, a})
    stored.push_back(static_cast<char>(value));
  Protobuf packet;
  packet.text(packet::kCompressedPackets, stored);
  Protobuf damaged;
  damaged.text(packet::kCompressedPackets, stored.substr(0, stored.size() / 2));
  const auto run = read_trace(Protobuf().message(trace::kPacket, packet).bytes() +
                              Protobuf().message(trace::kPacket, damaged).bytes());
  EXPECT_EQ(slice_names(run), (std::vector<std::string>{"a 8"}));
  EXPECT_EQ(run.dropped.at("damaged_compressed_packets"), 1u);
}

TEST(Perfetto, counts_packets_that_it_does_not_read) {
  Protobuf gpu;
  gpu.text(packet::kGpuRenderStageEvent, "xx");
  Protobuf ftrace;
  ftrace.text(1, "xx");
  Protobuf config;
  config.text(33, "xx");
  const auto run = read_trace(event_at(1, begin_of("a")) + event_at(2, end_on()) + packet_of(gpu) +
                              packet_of(gpu) + packet_of(ftrace) + packet_of(config));
  EXPECT_EQ(run.dropped, (Tally{{"gpu_render_stage_event", 2}, {"packet_field_1", 1}}));
}

}  // namespace
}  // namespace tactus::perfetto

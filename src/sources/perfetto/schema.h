#pragma once

#include <cstdint>

/// Field numbers of Perfetto's messages, as far as Tactus reads or writes them. A trace is a row of
/// TracePackets, each as field 1 of the file; there is no head and no end.
namespace tactus::perfetto {

namespace trace {
inline constexpr std::uint32_t kPacket = 1;
}

namespace packet {
inline constexpr std::uint32_t kClockSnapshot = 6;
inline constexpr std::uint32_t kTimestamp = 8;
inline constexpr std::uint32_t kSequenceId = 10;
inline constexpr std::uint32_t kTrackEvent = 11;
inline constexpr std::uint32_t kInternedData = 12;
inline constexpr std::uint32_t kSequenceFlags = 13;
inline constexpr std::uint32_t kIncrementalStateCleared = 41;
inline constexpr std::uint32_t kProcessDescriptor = 43;  ///< as old writers have it
inline constexpr std::uint32_t kThreadDescriptor = 44;
inline constexpr std::uint32_t kCompressedPackets = 50;
inline constexpr std::uint32_t kGpuRenderStageEvent = 53;
inline constexpr std::uint32_t kTimestampClockId = 58;
inline constexpr std::uint32_t kDefaults = 59;
inline constexpr std::uint32_t kTrackDescriptor = 60;
inline constexpr std::uint32_t kFirstOnSequence = 87;
/// Ours: what the messages of Perfetto have no place for, as JSON. Others skip it.
inline constexpr std::uint32_t kTactusFacts = 9943;
}  // namespace packet

/// Bits of the sequence flags.
inline constexpr std::uint64_t kStateCleared = 1;
inline constexpr std::uint64_t kNeedsState = 2;

namespace packet_defaults {
inline constexpr std::uint32_t kTrackEvent = 11;
inline constexpr std::uint32_t kTimestampClockId = 58;
}  // namespace packet_defaults

namespace event_defaults {
inline constexpr std::uint32_t kTrackUuid = 11;
inline constexpr std::uint32_t kExtraCounterTracks = 31;
inline constexpr std::uint32_t kExtraDoubleCounterTracks = 45;
}  // namespace event_defaults

namespace clock_snapshot {
inline constexpr std::uint32_t kClocks = 1;
inline constexpr std::uint32_t kPrimaryClock = 2;
inline constexpr std::uint32_t kClockId = 1;  ///< of a clock
inline constexpr std::uint32_t kTimestamp = 2;
inline constexpr std::uint32_t kIsIncremental = 3;
inline constexpr std::uint32_t kUnitMultiplier = 4;
}  // namespace clock_snapshot

/// Clocks that all traces share. Those from kFirstOfSequence on belong to one sequence.
inline constexpr std::uint32_t kRealtimeClock = 1;
inline constexpr std::uint32_t kBoottimeClock = 6;
inline constexpr std::uint32_t kFirstOfSequence = 64;
inline constexpr std::uint32_t kFirstGlobalClock = 128;

namespace track {
inline constexpr std::uint32_t kUuid = 1;
inline constexpr std::uint32_t kName = 2;
inline constexpr std::uint32_t kProcess = 3;
inline constexpr std::uint32_t kThread = 4;
inline constexpr std::uint32_t kParentUuid = 5;
inline constexpr std::uint32_t kCounter = 8;
inline constexpr std::uint32_t kStaticName = 10;
inline constexpr std::uint32_t kAtraceName = 13;
}  // namespace track

namespace process {
inline constexpr std::uint32_t kPid = 1;
inline constexpr std::uint32_t kName = 6;
inline constexpr std::uint32_t kLabels = 8;
}  // namespace process

namespace thread {
inline constexpr std::uint32_t kPid = 1;
inline constexpr std::uint32_t kTid = 2;
inline constexpr std::uint32_t kName = 5;
}  // namespace thread

namespace counter {
inline constexpr std::uint32_t kUnit = 3;
inline constexpr std::uint32_t kUnitMultiplier = 4;
inline constexpr std::uint32_t kIsIncremental = 5;
inline constexpr std::uint32_t kUnitName = 6;
}  // namespace counter

/// Units of counters.
inline constexpr std::uint64_t kUnitTimeNs = 1;
inline constexpr std::uint64_t kUnitCount = 2;
inline constexpr std::uint64_t kUnitBytes = 3;

namespace event {
inline constexpr std::uint32_t kCategoryIids = 3;
inline constexpr std::uint32_t kDebugAnnotations = 4;
inline constexpr std::uint32_t kLegacyEvent = 6;
inline constexpr std::uint32_t kType = 9;
inline constexpr std::uint32_t kNameIid = 10;
inline constexpr std::uint32_t kTrackUuid = 11;
inline constexpr std::uint32_t kExtraCounterValues = 12;
inline constexpr std::uint32_t kCategories = 22;
inline constexpr std::uint32_t kName = 23;
inline constexpr std::uint32_t kCounterValue = 30;
inline constexpr std::uint32_t kExtraCounterTracks = 31;
inline constexpr std::uint32_t kFlowIdsOld = 36;  ///< varints; now fixed64
inline constexpr std::uint32_t kTerminatingFlowIdsOld = 42;
inline constexpr std::uint32_t kDoubleCounterValue = 44;
inline constexpr std::uint32_t kExtraDoubleCounterTracks = 45;
inline constexpr std::uint32_t kExtraDoubleCounterValues = 46;
inline constexpr std::uint32_t kFlowIds = 47;
inline constexpr std::uint32_t kTerminatingFlowIds = 48;
// Times inside of the event, as old writers have them.
inline constexpr std::uint32_t kTimestampDeltaUs = 1;
inline constexpr std::uint32_t kTimestampAbsoluteUs = 16;
}  // namespace event

/// Types of track events.
inline constexpr std::uint64_t kSliceBegin = 1;
inline constexpr std::uint64_t kSliceEnd = 2;
inline constexpr std::uint64_t kInstant = 3;
inline constexpr std::uint64_t kCounterSample = 4;

namespace legacy {
inline constexpr std::uint32_t kNameIid = 1;
inline constexpr std::uint32_t kPhase = 2;
inline constexpr std::uint32_t kDurationUs = 3;
inline constexpr std::uint32_t kPidOverride = 18;
inline constexpr std::uint32_t kTidOverride = 19;
}  // namespace legacy

namespace annotation {
inline constexpr std::uint32_t kNameIid = 1;
inline constexpr std::uint32_t kBool = 2;
inline constexpr std::uint32_t kUint = 3;
inline constexpr std::uint32_t kInt = 4;
inline constexpr std::uint32_t kDouble = 5;
inline constexpr std::uint32_t kString = 6;
inline constexpr std::uint32_t kPointer = 7;
inline constexpr std::uint32_t kNested = 8;
inline constexpr std::uint32_t kJson = 9;
inline constexpr std::uint32_t kName = 10;
inline constexpr std::uint32_t kDictEntries = 11;
inline constexpr std::uint32_t kArrayValues = 12;
inline constexpr std::uint32_t kStringIid = 17;
}  // namespace annotation

namespace interned {
inline constexpr std::uint32_t kCategories = 1;
inline constexpr std::uint32_t kNames = 2;
inline constexpr std::uint32_t kAnnotationNames = 3;
inline constexpr std::uint32_t kAnnotationStrings = 29;
inline constexpr std::uint32_t kIid = 1;  ///< of an entry
inline constexpr std::uint32_t kText = 2;
}  // namespace interned

}  // namespace tactus::perfetto

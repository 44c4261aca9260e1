#include "sources/nsys/database/events/samples.h"

#include "sources/nsys/database/args.h"
#include "sources/nsys/database/events/call_chains.h"

namespace tactus::nsys {
namespace {

void add_instant(Reading& reading, std::int64_t time, StringId name, TrackId track,
                 CategoryId category, const RowArgs& args) {
  reading.builder.run().instants.append(time, 0, name, track.value, category.value, args.shape(),
                                        args.values());
}

}  // namespace

void read_scheduling(Reading& reading) {
  static constexpr std::string_view kTable = "SCHED_EVENTS";
  enum Column : int { kStart, kCpu, kIsSchedIn, kGlobalTid };
  static constexpr std::string_view kColumns[] = {"start", "cpu", "isSchedIn", "globalTid"};
  static constexpr ArgSpec kArgs[] = {{.key = "cpu", .index = kCpu}};
  if (!reading.tables.schema.has(kTable)) return;
  TableRows rows(reading.tables, kTable, kColumns);
  RowArgs args(reading, kArgs);
  const CategoryId category = reading.builder.category("sched");
  const StringId in = reading.builder.intern("sched in");
  const StringId out = reading.builder.intern("sched out");
  while (rows.next()) {
    const auto time = time_of(reading, rows, kStart);
    if (!time) continue;
    args.take(rows);
    add_instant(reading, *time, rows.integer(kIsSchedIn) != 0 ? in : out,
                reading.tracks.thread(thread_of(rows, kGlobalTid)), category, args);
  }
}

void read_cpu_samples(Reading& reading) {
  static constexpr std::string_view kTable = "COMPOSITE_EVENTS";
  enum Column : int { kStart, kId, kCpu, kGlobalTid, kCycles };
  static constexpr std::string_view kColumns[] = {"start", "id", "cpu", "globalTid", "cpuCycles"};
  enum Arg : int { kStackArg };
  static constexpr ArgSpec kArgs[] = {
      {.key = "@sf", .type = ValueType::kStack, .from = ArgFrom::kReader, .index = kStackArg},
      {.key = "cpu", .index = kCpu},
      {.key = "cycles", .index = kCycles},
  };
  if (!reading.tables.schema.has(kTable)) return;
  const CallChains chains(reading, "SAMPLING_CALLCHAINS");
  TableRows rows(reading.tables, kTable, kColumns);
  RowArgs args(reading, kArgs);
  const CategoryId category = reading.builder.category("cpu_sample");
  const StringId name = reading.builder.intern("sample");
  while (rows.next()) {
    const auto time = time_of(reading, rows, kStart);
    if (!time) continue;
    const StackId stack = chains.find(rows.integer(kId));
    if (stack.valid()) args.set(kStackArg, stack.value);
    args.take(rows);
    add_instant(reading, *time, name, reading.tracks.thread(thread_of(rows, kGlobalTid)), category,
                args);
  }
}

void read_memory_usage(Reading& reading) {
  static constexpr std::string_view kTable = "CUDA_GPU_MEMORY_USAGE_EVENTS";
  enum Column : int { kStart, kGlobalPid, kDevice, kBytes, kAddress, kOperation, kMemKind };
  static constexpr std::string_view kColumns[] = {
      "start", "globalPid", "deviceId", "bytes", "address", "memoryOperationType", "memKind"};
  static constexpr ArgSpec kArgs[] = {
      {.key = "bytes", .index = kBytes},
      {.key = "address", .index = kAddress},
      {.key = "device", .index = kDevice},
      {.key = "memKind", .index = kMemKind},
  };
  if (!reading.tables.schema.has(kTable)) return;
  TableRows rows(reading.tables, kTable, kColumns);
  RowArgs args(reading, kArgs);
  const CategoryId category = reading.builder.category("memory");
  const StringId alloc = reading.builder.intern("alloc");
  const StringId free = reading.builder.intern("free");
  while (rows.next()) {
    const auto time = time_of(reading, rows, kStart);
    if (!time) continue;
    args.take(rows);
    add_instant(reading, *time, rows.integer(kOperation) == 0 ? alloc : free,
                reading.tracks.device_memory(pid_of(rows.integer(kGlobalPid))), category, args);
  }
}

}  // namespace tactus::nsys

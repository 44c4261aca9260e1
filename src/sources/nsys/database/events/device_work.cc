#include "sources/nsys/database/events/device_work.h"

#include <map>
#include <string>
#include <tuple>

#include "sources/nsys/database/events/device_rows.h"
#include "sources/nsys/database/words.h"

namespace tactus::nsys {
namespace {

constexpr std::int64_t kNoEvent = 4294967295;

/// "Memcpy HtoD (Pinned -> Device)", made once for each combination of kinds.
class CopyNames {
 public:
  explicit CopyNames(Reading& reading)
      : builder_(reading.builder),
        copies_(reading.tables, "ENUM_CUDA_MEMCPY_OPER"),
        memories_(reading.tables, "ENUM_CUDA_MEM_KIND") {}

  StringId copy(std::int64_t kind, std::int64_t from, std::int64_t to) {
    const auto [at, is_new] = names_.try_emplace({kind, from, to});
    if (is_new) {
      at->second = builder_.intern_repaired("Memcpy " + copy_word(copies_, kind) + " (" +
                                            memory_word(memories_, from) + " -> " +
                                            memory_word(memories_, to) + ")");
    }
    return at->second;
  }

  StringId set(std::int64_t memory) {
    return builder_.intern_repaired("Memset (" + memory_word(memories_, memory) + ")");
  }

 private:
  RunBuilder& builder_;
  EnumLabels copies_;
  EnumLabels memories_;
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, StringId> names_;
};

/// A kind that no database uses means NULL.
std::int64_t kind_of(const TableRows& row, int column) {
  return row.number(column).value_or(-1);
}

}  // namespace

void read_memcpys(Reading& reading) {
  enum Column : int {
    kCopyKind = kFirstOwnColumn,
    kSrcKind,
    kDstKind,
    kBytes,
    kSrcDevice,
    kDstDevice,
    kGraphNode,
    kMigrationCause,
    kVirtualAddress,
    kGreenContext,
  };
  static constexpr std::string_view kColumns[] = {
      "copyKind",    "srcKind",     "dstKind",        "bytes",          "srcDeviceId",
      "dstDeviceId", "graphNodeId", "migrationCause", "virtualAddress", "greenContextId"};
  static constexpr ArgSpec kArgs[] = {
      {.key = "bytes", .index = kBytes},
      {.key = "graph node id", .from = ArgFrom::kNonZero, .index = kGraphNode},
      {.key = "srcDeviceId", .index = kSrcDevice},
      {.key = "dstDeviceId", .index = kDstDevice},
      {.key = "migrationCause", .index = kMigrationCause},
      {.key = "virtualAddress", .index = kVirtualAddress},
      {.key = "greenContextId", .index = kGreenContext},
  };
  DeviceRows copies(reading, "CUPTI_ACTIVITY_KIND_MEMCPY", "gpu_memcpy", kColumns, kArgs);
  CopyNames names(reading);
  while (copies.next()) {
    const TableRows& row = copies.row();
    copies.add(names.copy(kind_of(row, kCopyKind), kind_of(row, kSrcKind), kind_of(row, kDstKind)));
  }
}

void read_memsets(Reading& reading) {
  enum Column : int { kBytes = kFirstOwnColumn, kValue, kMemKind, kGraphNode, kGreenContext };
  static constexpr std::string_view kColumns[] = {"bytes", "value", "memKind", "graphNodeId",
                                                  "greenContextId"};
  static constexpr ArgSpec kArgs[] = {
      {.key = "bytes", .index = kBytes},
      {.key = "value", .index = kValue},
      {.key = "graph node id", .from = ArgFrom::kNonZero, .index = kGraphNode},
      {.key = "greenContextId", .index = kGreenContext},
  };
  DeviceRows sets(reading, "CUPTI_ACTIVITY_KIND_MEMSET", "gpu_memset", kColumns, kArgs);
  CopyNames names(reading);
  while (sets.next()) sets.add(names.set(kind_of(sets.row(), kMemKind)));
}

void read_synchronizations(Reading& reading) {
  enum Column : int { kSyncType = kFirstOwnColumn, kEvent, kGreenContext };
  enum Arg : int { kEventArg = kFirstOwnArg };
  static constexpr std::string_view kColumns[] = {"syncType", "eventId", "greenContextId"};
  static constexpr ArgSpec kArgs[] = {
      {.key = "eventId", .from = ArgFrom::kReader, .index = kEventArg},
      {.key = "greenContextId", .index = kGreenContext},
  };
  DeviceRows syncs(reading, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "cuda_sync", kColumns, kArgs);
  while (syncs.next()) {
    const TableRows& row = syncs.row();
    const std::int64_t event = row.number(kEvent).value_or(kNoEvent);
    if (event != kNoEvent) syncs.args().set(kEventArg, event);
    syncs.add(reading.builder.intern(sync_word(row.integer(kSyncType))));
  }
}

void read_graph_launches(Reading& reading) {
  enum Column : int { kGraph = kFirstOwnColumn, kGraphExec, kGreenContext };
  static constexpr std::string_view kColumns[] = {"graphId", "graphExecId", "greenContextId"};
  static constexpr ArgSpec kArgs[] = {
      {.key = "graph id", .from = ArgFrom::kNonZero, .index = kGraph},
      {.key = "graphExecId", .index = kGraphExec},
      {.key = "greenContextId", .index = kGreenContext},
  };
  DeviceRows launches(reading, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "cuda_graph", kColumns, kArgs);
  std::uint64_t count = 0;
  for (; launches.next(); ++count) {
    const std::string graph = std::to_string(launches.row().integer(kGraph));
    launches.add(reading.builder.intern("CUDA graph " + graph));
  }
  if (count == 0) return;
  reading.builder.warn(std::to_string(count) +
                       " launches of CUDA graphs were recorded as a whole, without the kernels in "
                       "them; record with `--cuda-graph-trace=node` to see them");
}

}  // namespace tactus::nsys

#include <array>
#include <charconv>
#include <string_view>

#include "base/arithmetic.h"
#include "sources/nsys/database/events/device_rows.h"
#include "sources/nsys/database/events/device_work.h"

namespace tactus::nsys {
namespace {

enum KernelColumn : int {
  kDemangledName = kFirstOwnColumn,
  kShortName,
  kMangledName,
  kRegisters,
  kStaticShared,
  kDynamicShared,
  kGridX,
  kGridY,
  kGridZ,
  kBlockX,
  kBlockY,
  kBlockZ,
  kGraphNode,
  kGraph,
  kLaunchType,
  kCacheConfig,
  kLocalPerThread,
  kLocalTotal,
  kGridId,
  kSharedExecuted,
  kSharedLimitConfig,
  kGreenContext,
};

constexpr std::string_view kColumns[] = {
    "demangledName",
    "shortName",
    "mangledName",
    "registersPerThread",
    "staticSharedMemory",
    "dynamicSharedMemory",
    "gridX",
    "gridY",
    "gridZ",
    "blockX",
    "blockY",
    "blockZ",
    "graphNodeId",
    "graphId",
    "launchType",
    "cacheConfig",
    "localMemoryPerThread",
    "localMemoryTotal",
    "gridId",
    "sharedMemoryExecuted",
    "sharedMemoryLimitConfig",
    "greenContextId",
};

enum KernelArg : int { kSharedMemoryArg = kFirstOwnArg, kGridArg, kBlockArg };

// Kineto's name if it has one, else the name of the column.
constexpr ArgSpec kArgs[] = {
    {.key = "registers per thread", .index = kRegisters},
    {.key = "shared memory", .from = ArgFrom::kReader, .index = kSharedMemoryArg},
    {.key = "grid", .type = ValueType::kJson, .from = ArgFrom::kReader, .index = kGridArg},
    {.key = "block", .type = ValueType::kJson, .from = ArgFrom::kReader, .index = kBlockArg},
    {.key = "graph node id", .from = ArgFrom::kNonZero, .index = kGraphNode},
    {.key = "graph id", .from = ArgFrom::kNonZero, .index = kGraph},
    {.key = "mangled", .type = ValueType::kText, .from = ArgFrom::kName, .index = kMangledName},
    {.key = "launchType", .index = kLaunchType},
    {.key = "cacheConfig", .index = kCacheConfig},
    {.key = "localMemoryPerThread", .index = kLocalPerThread},
    {.key = "localMemoryTotal", .index = kLocalTotal},
    {.key = "gridId", .index = kGridId},
    {.key = "sharedMemoryExecuted", .index = kSharedExecuted},
    {.key = "sharedMemoryLimitConfig", .index = kSharedLimitConfig},
    {.key = "greenContextId", .index = kGreenContext},
};

/// Writes the three columns from `first` on as "[4,1,1]". Kernels of one kind often follow each
/// other, so remembering the last text pays.
class DimensionText {
 public:
  explicit DimensionText(RunBuilder& builder) : builder_(builder) {}

  StringId operator()(const TableRows& rows, int first) {
    const std::array now = {rows.integer(first), rows.integer(first + 1), rows.integer(first + 2)};
    if (now == last_ && text_.valid()) return text_;
    last_ = now;
    std::array<char, 64> text;  // three numbers of up to 20 characters
    char* end = text.data();
    for (const std::int64_t size : now) {
      *end = end == text.data() ? '[' : ',';
      end = std::to_chars(end + 1, text.data() + text.size(), size).ptr;
    }
    *end++ = ']';
    const auto length = static_cast<std::size_t>(end - text.data());
    return text_ = builder_.intern(std::string_view(text.data(), length));
  }

 private:
  RunBuilder& builder_;
  std::array<std::int64_t, 3> last_ = {};
  StringId text_;
};

StringId kernel_name(Reading& reading, const TableRows& row) {
  for (const int column : {kDemangledName, kShortName}) {
    if (const StringId name = reading.names.find(row, column); name.valid()) return name;
  }
  reading.builder.repair("missing_name");
  return reading.builder.intern("unknown kernel");
}

}  // namespace

void read_kernels(Reading& reading) {
  DeviceRows kernels(reading, "CUPTI_ACTIVITY_KIND_KERNEL", "kernel", kColumns, kArgs);
  DimensionText grid(reading.builder);
  DimensionText block(reading.builder);
  while (kernels.next()) {
    const TableRows& row = kernels.row();
    RowArgs& args = kernels.args();
    const auto fixed = row.number(kStaticShared);
    const auto dynamic = row.number(kDynamicShared);
    if (fixed || dynamic) {
      args.set(kSharedMemoryArg, wrapping_add(fixed.value_or(0), dynamic.value_or(0)));
    }
    if (row.number(kGridX)) args.set(kGridArg, grid(row, kGridX).value);
    if (row.number(kBlockX)) args.set(kBlockArg, block(row, kBlockX).value);
    kernels.add(kernel_name(reading, row));
  }
}

}  // namespace tactus::nsys

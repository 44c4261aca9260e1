#include "sources/nsys/database/events/host_calls.h"

#include <unordered_map>

#include "sources/nsys/database/args.h"
#include "sources/nsys/database/events/call_chains.h"
#include "sources/nsys/database/words.h"

namespace tactus::nsys {
namespace {

enum Column : int {
  kStart,
  kEnd,
  kEventClass,
  kGlobalTid,
  kCorrelation,
  kName,
  kReturnValue,
  kCallChain,
};
constexpr std::string_view kColumns[] = {"start",         "end",    "eventClass",  "globalTid",
                                         "correlationId", "nameId", "returnValue", "callchainId"};

enum Arg : int { kCorrelationArg, kStackArg };
constexpr ArgSpec kArgs[] = {
    {.key = "@sf", .type = ValueType::kStack, .from = ArgFrom::kReader, .index = kStackArg},
    {.key = "correlation", .from = ArgFrom::kReader, .index = kCorrelationArg},
    {.key = "return value", .from = ArgFrom::kNonZero, .index = kReturnValue},
};

/// The names of calls, each looked up and cut once.
class CallNames {
 public:
  explicit CallNames(Reading& reading) : reading_(reading) {}

  StringId find(const TableRows& rows) {
    const auto [at, is_new] = known_.try_emplace(rows.integer(kName));
    if (is_new) at->second = look_up(rows);
    if (at->second.valid()) return at->second;
    reading_.builder.repair("missing_name");
    return reading_.builder.intern("unknown call");
  }

 private:
  StringId look_up(const TableRows& rows) {
    const StringId name = reading_.names.find(rows, kName);
    if (!name.valid()) return name;
    return reading_.builder.intern(without_version(reading_.builder.run().strings[name]));
  }

  Reading& reading_;
  std::unordered_map<std::int64_t, StringId> known_;
};

/// The event class of a CUDA call gives its category.
class CallCategories {
 public:
  explicit CallCategories(Reading& reading)
      : reading_(reading), labels_(reading.tables, "ENUM_NSYS_EVENT_CLASS") {}

  CategoryId find(std::int64_t event_class) {
    const auto [at, is_new] = known_.try_emplace(event_class);
    if (is_new) at->second = look_up(event_class);
    return at->second;
  }

 private:
  CategoryId look_up(std::int64_t event_class) {
    RunBuilder& builder = reading_.builder;
    switch (event_class) {
      case 0: return builder.category("cuda_runtime");
      case 1: return builder.category("cuda_driver");
      case 28: return builder.category("cudnn");
      case 29: return builder.category("cublas");
      default: break;
    }
    const std::string_view label = labels_.find(event_class);
    if (label.empty()) return builder.category("cuda_runtime");
    return builder.category(builder.run().strings[builder.intern_repaired(label)]);
  }

  Reading& reading_;
  EnumLabels labels_;
  std::unordered_map<std::int64_t, CategoryId> known_;
};

/// Reads one table of calls. `category` gives the category of each row.
template <class Category>
void read_calls(Reading& reading, std::string_view table, std::string_view chain_table,
                Category category) {
  if (!reading.tables.schema.has(table)) return;
  const CallChains chains(reading, chain_table);
  TableRows rows(reading.tables, table, kColumns);
  RowArgs args(reading, kArgs);
  CallNames names(reading);
  while (rows.next()) {
    const auto interval = interval_of(reading, rows, kStart, kEnd);
    if (!interval) continue;
    const std::int64_t thread = thread_of(rows, kGlobalTid);
    if (const auto correlation = rows.number(kCorrelation)) {
      args.set(kCorrelationArg, *correlation);
    }
    if (const auto chain = rows.number(kCallChain)) {
      if (const StackId stack = chains.find(*chain); stack.valid()) {
        args.set(kStackArg, stack.value);
      }
    }
    args.take(rows);
    reading.builder.run().slices.append(interval->start_ns, interval->duration_ns, names.find(rows),
                                        reading.tracks.thread(thread).value, category(rows).value,
                                        args.shape(), args.values());
  }
}

void read_calls_of_category(Reading& reading, std::string_view table, std::string_view chains,
                            std::string_view category) {
  if (!reading.tables.schema.has(table)) return;
  const CategoryId id = reading.builder.category(category);
  read_calls(reading, table, chains, [id](const TableRows&) { return id; });
}

}  // namespace

void read_cuda_calls(Reading& reading) {
  CallCategories categories(reading);
  read_calls(reading, "CUPTI_ACTIVITY_KIND_RUNTIME", "CUDA_CALLCHAINS",
             [&](const TableRows& rows) { return categories.find(rows.integer(kEventClass)); });
  read_calls_of_category(reading, "CUDNN_EVENTS", "", "cudnn");
  read_calls_of_category(reading, "CUBLAS_EVENTS", "", "cublas");
}

void read_os_calls(Reading& reading) {
  read_calls_of_category(reading, "OSRT_API", "OSRT_CALLCHAINS", "os_runtime");
}

void read_profiler_overhead(Reading& reading) {
  read_calls_of_category(reading, "PROFILER_OVERHEAD", "", "overhead");
}

}  // namespace tactus::nsys

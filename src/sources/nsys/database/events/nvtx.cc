#include "sources/nsys/database/events/nvtx.h"

#include <algorithm>
#include <map>
#include <utility>

#include "sources/nsys/database/args.h"

namespace tactus::nsys {
namespace {

constexpr std::string_view kTable = "NVTX_EVENTS";

enum Column : int {
  kStart,
  kEnd,
  kEventType,
  kText,
  kTextId,
  kGlobalTid,
  kDomain,
  kCategory,
  kColor,
  kUint64,
  kInt64,
  kDouble,
  kUint32,
  kInt32,
  kFloat,
  kJsonText,
};
constexpr std::string_view kColumns[] = {"start",       "end",         "eventType",  "text",
                                         "textId",      "globalTid",   "domainId",   "category",
                                         "color",       "uint64Value", "int64Value", "doubleValue",
                                         "uint32Value", "int32Value",  "floatValue", "jsonText"};

enum Arg : int { kDomainArg };
constexpr ArgSpec kArgs[] = {
    {.key = "domain", .type = ValueType::kText, .from = ArgFrom::kReader, .index = kDomainArg},
    {.key = "category", .from = ArgFrom::kNonZero, .index = kCategory},
    {.key = "color", .index = kColor},
    {.key = "uint64Value", .index = kUint64},
    {.key = "int64Value", .index = kInt64},
    {.key = "doubleValue", .type = ValueType::kDecimal, .from = ArgFrom::kReal, .index = kDouble},
    {.key = "uint32Value", .index = kUint32},
    {.key = "int32Value", .index = kInt32},
    {.key = "floatValue", .type = ValueType::kDecimal, .from = ArgFrom::kReal, .index = kFloat},
    {.key = "jsonText", .type = ValueType::kText, .from = ArgFrom::kText, .index = kJsonText},
};

enum EventType : std::int64_t {
  kCategoryName = 33,
  kMark = 34,
  kThreadName = 39,
  kPushPopRange = 59,
  kStartEndRange = 60,
  kDomainCreate = 75,
  kDomainDestroy = 76,
};

class NvtxReader {
 public:
  explicit NvtxReader(Reading& reading)
      : reading_(reading),
        args_(reading, kArgs),
        category_(reading.builder.category("nvtx")),
        no_text_(reading.builder.intern("(no text)")) {}

  void read() {
    look_ahead();
    TableRows rows(reading_.tables, kTable, kColumns);
    while (rows.next()) take(rows);
    // All threads that have events are known only now.
    for (const auto& [thread, name] : thread_names_) reading_.tracks.name_thread(thread, name);
  }

 private:
  /// The number of a domain is unique within a process.
  using DomainKey = std::pair<std::int64_t, std::int64_t>;
  static constexpr std::int64_t kAnyPid = -1;

  /// Finds the names of domains, because rows may refer to a domain before its row, and the end of
  /// the last range: ranges that were never closed last until then.
  void look_ahead() {
    TableRows rows(reading_.tables, kTable, kColumns, {});
    while (rows.next()) {
      for (const int column : {kStart, kEnd}) {
        const std::int64_t time = rows.integer(column);
        if (time <= kLatestTime) reading_.latest_ns = std::max(reading_.latest_ns, time);
      }
      if (rows.integer(kEventType) != kDomainCreate) continue;
      const StringId name = text_of(rows);
      if (!name.valid()) continue;
      domains_.try_emplace({pid_of(rows.integer(kGlobalTid)), rows.integer(kDomain)}, name);
      domains_.try_emplace({kAnyPid, rows.integer(kDomain)}, name);
    }
  }

  void take(const TableRows& rows) {
    switch (rows.number(kEventType).value_or(kPushPopRange)) {
      case kPushPopRange:
      case kStartEndRange: take_range(rows); break;
      case kMark: take_mark(rows); break;
      case kThreadName:
        if (const StringId name = text_of(rows); name.valid()) {
          thread_names_[thread_of(rows, kGlobalTid)] = name;
        }
        break;
      case kCategoryName:
      case kDomainCreate:
      case kDomainDestroy: break;  // they only explain other rows
      default: reading_.builder.drop("nsys_nvtx_event_of_other_type");
    }
  }

  void take_range(const TableRows& rows) {
    const bool is_open = rows.is_null(kEnd);
    Interval interval;
    if (is_open) {
      const auto start = time_of(reading_, rows, kStart);
      if (!start) return;
      interval = {*start, reading_.latest_ns - *start};
    } else {
      const auto closed = interval_of(reading_, rows, kStart, kEnd);
      if (!closed) return;
      interval = *closed;
    }
    EventTable& slices = reading_.builder.run().slices;
    add(slices, rows, interval);
    if (is_open) slices.flag_last(kOpenEnd);
  }

  void take_mark(const TableRows& rows) {
    const auto time = time_of(reading_, rows, kStart);
    if (time) add(reading_.builder.run().instants, rows, {*time, 0});
  }

  void add(EventTable& events, const TableRows& rows, const Interval& interval) {
    const std::int64_t thread = thread_of(rows, kGlobalTid);
    if (const StringId domain = domain_of(rows, pid_of(thread)); domain.valid()) {
      args_.set(kDomainArg, domain.value);
    }
    args_.take(rows);
    const StringId text = text_of(rows);
    events.append(interval.start_ns, interval.duration_ns, text.valid() ? text : no_text_,
                  reading_.tracks.thread(thread).value, category_.value, args_.shape(),
                  args_.values());
  }

  StringId text_of(const TableRows& rows) {
    if (!rows.is_null(kText)) return reading_.builder.intern_repaired(rows.text(kText));
    return reading_.names.find(rows, kTextId);
  }

  StringId domain_of(const TableRows& rows, std::int64_t pid) const {
    if (domains_.empty() || rows.is_null(kDomain)) return {};
    for (const std::int64_t owner : {pid, kAnyPid}) {
      const auto at = domains_.find({owner, rows.integer(kDomain)});
      if (at != domains_.end()) return at->second;
    }
    return {};
  }

  Reading& reading_;
  RowArgs args_;
  CategoryId category_;
  StringId no_text_;
  std::map<DomainKey, StringId> domains_;
  std::map<std::int64_t, StringId> thread_names_;  ///< by globalTid
};

}  // namespace

void read_nvtx(Reading& reading) {
  if (reading.tables.schema.has(kTable)) NvtxReader(reading).read();
}

}  // namespace tactus::nsys

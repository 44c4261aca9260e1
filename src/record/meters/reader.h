#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "record/meters/budget.h"
#include "record/meters/growth.h"
#include "record/meters/meter_table.h"
#include "record/meters/sample_ring.h"

namespace tactus::meters {

/// A counter of the table of known ones, added to the session's table with its first value.
class Counter {
 public:
  explicit Counter(const char* name, MeterScope scope = MeterScope::kAll,
                   std::string device = "Host")
      : name_(name), scope_(scope), device_(std::move(device)) {}

  std::uint32_t id(MeterTable& table) {
    if (!id_) id_ = table.counter(name_, table.device({.label = device_}), scope_);
    return *id_;
  }

 private:
  const char* name_;
  MeterScope scope_;
  std::string device_;
  std::optional<std::uint32_t> id_;
};

/// Where a reader puts what it read.
class MeterSink {
 public:
  MeterSink(MeterTable& table, SampleRing& ring) : table_(table), ring_(ring) {}

  MeterTable& table() { return table_; }

  /// A state at that moment.
  void level(const MeterTime& time, std::uint32_t counter, double value) {
    over(time, 0, counter, value);
  }
  void level(const MeterTime& time, Counter& counter, double value) {
    over(time, 0, counter.id(table_), value);
  }
  /// A mean over `window_ns` that ends at that moment.
  void over(const MeterTime& time, std::int64_t window_ns, std::uint32_t counter, double value) {
    if (!std::isfinite(value)) return;
    ring_.push({.time = time, .window_ns = window_ns, .value = value, .counter = counter});
  }
  void over(const MeterTime& time, std::int64_t window_ns, Counter& counter, double value) {
    over(time, window_ns, counter.id(table_), value);
  }
  /// The growth of a total as a rate; nothing for the first reading.
  void rate(const MeterTime& time, Growth& growth, std::optional<std::uint64_t> total,
            Counter& counter, double scale = 1) {
    const std::optional<Grown> more = total ? growth.next(*total, time) : std::nullopt;
    if (more) over(time, more->window_ns, counter, more->per_second() * scale);
  }

 private:
  MeterTable& table_;
  SampleRing& ring_;
};

/// Reads one source of values, again and again, on one thread.
class MeterReader {
 public:
  explicit MeterReader(ReaderFacts facts) : facts_(std::move(facts)) {}
  virtual ~MeterReader() = default;
  MeterReader(const MeterReader&) = delete;
  MeterReader& operator=(const MeterReader&) = delete;

  virtual void read(MeterSink& sink) = 0;
  const ReaderFacts& facts() const { return facts_; }

 private:
  ReaderFacts facts_;
};

using MeterReaders = std::vector<std::unique_ptr<MeterReader>>;

constexpr std::int64_t kMillisecond = 1'000'000;

}  // namespace tactus::meters

#include "sources/nsys/database/events/metrics.h"

#include <map>
#include <string>
#include <utility>

#include "run/args/usable_number.h"

namespace tactus::nsys {
namespace {

constexpr std::string_view kTable = "GPU_METRICS";
constexpr std::int64_t kGpuBits = 0xFF;  // of a typeId

using MetricKey = std::pair<std::int64_t, std::int64_t>;  // typeId, metricId

/// The series of the metrics, each made at its first sample.
class MetricSeries {
 public:
  MetricSeries(Reading& reading, const DeviceOfMetrics& devices)
      : reading_(reading), devices_(devices) {
    static constexpr std::string_view kColumns[] = {"typeId", "metricId", "metricName"};
    TableRows rows(reading.tables, "TARGET_INFO_GPU_METRICS", kColumns, {});
    while (rows.next()) {
      if (rows.is_null(2)) continue;
      names_.try_emplace({rows.integer(0), rows.integer(1)},
                         reading.builder.intern_repaired(rows.text(2)));
    }
  }

  SeriesId find(const MetricKey& key) {
    const auto [at, is_new] = series_.try_emplace(key);
    if (is_new) at->second = make(key);
    return at->second;
  }

 private:
  SeriesId make(const MetricKey& key) {
    RunBuilder& builder = reading_.builder;
    const std::int64_t gpu = key.first & kGpuBits;
    const auto device = devices_.find(gpu);
    const std::int64_t id = device == devices_.end() ? gpu : device->second;
    const auto name = names_.find(key);
    CounterSeries series;
    series.source = builder.source_id();
    series.name = name != names_.end() ? name->second
                                       : builder.intern("metric " + std::to_string(key.second));
    series.field = builder.intern("value");
    series.category = builder.intern("gpu_metrics");
    series.place = builder.intern("GPU " + std::to_string(id));
    series.unit = StringId(0);
    return builder.series(series);
  }

  Reading& reading_;
  const DeviceOfMetrics& devices_;
  std::map<MetricKey, StringId> names_;
  std::map<MetricKey, SeriesId> series_;
};

std::int64_t decimal(const TableRows& rows, int column, StringPool& strings) {
  const std::int64_t whole = rows.integer(column);
  if (rows.is_integer(column) && whole <= Decimal::kLargestMantissa &&
      whole >= -Decimal::kLargestMantissa) {
    return Decimal::pack(whole, 0);
  }
  return Decimal::from_double(rows.real(column), strings);
}

}  // namespace

void read_gpu_metrics(Reading& reading, const DeviceOfMetrics& devices) {
  enum Column : int { kTime, kType, kMetric, kValue };
  static constexpr std::string_view kColumns[] = {"timestamp", "typeId", "metricId", "value"};
  if (!reading.tables.schema.has(kTable)) return;
  MetricSeries series(reading, devices);
  TableRows rows(reading.tables, kTable, kColumns, {"timestamp"});
  Run& run = reading.builder.run();
  while (rows.next()) {
    const auto time = time_of(reading, rows, kTime);
    if (!time) continue;
    const std::int64_t value =
        rows.is_null(kValue) ? Decimal::unknown() : decimal(rows, kValue, run.strings);
    if (!is_usable_number(value, run.strings)) {
      reading.builder.drop("counter_without_number");
      continue;
    }
    const SeriesId id = series.find({rows.integer(kType), rows.integer(kMetric)});
    run.counters.append({*time, id.value, value});
  }
}

}  // namespace tactus::nsys

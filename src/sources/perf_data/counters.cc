#include <array>

#include "sources/counters/counter_unit.h"
#include "sources/counters/sample_writer.h"
#include "sources/perf_data/perf_data.h"
#include "sources/text/csv_reader.h"
#include "sources/text/finish_source.h"
#include "sources/text/number.h"

namespace tactus::perf_data {
namespace {

constexpr std::array<std::string_view, 3> kColumns = {"counter_name", "timestamp", "value"};

/// As elsewhere, except that these files have host memory in KiB (its usage in percent).
std::string_view unit_of(std::string_view counter) {
  const bool host_memory = counter.starts_with("host_mem_") && !counter.ends_with("_usage");
  return host_memory ? "KiB" : counters::unit_of(counter);
}

/// Microseconds since the epoch, with a fraction, in ns.
std::optional<std::int64_t> read_time(std::string_view field) {
  const std::optional<WholeNumber> time = read_scaled(trim(field), 3);
  if (!time) return std::nullopt;
  return time->rounded;
}

}  // namespace

bool is_counters(std::string_view head) {
  return has_csv_columns(head, kColumns);
}

Status import_counters(InputBytes& bytes, RunBuilder& builder) {
  Result<CsvReader> csv = CsvReader::open(bytes);
  if (!csv) return csv.error();
  if (Status complete = csv->require(kColumns); !complete) return complete;
  const std::size_t counter = *csv->column("counter_name");
  const std::size_t time = *csv->column("timestamp");
  const std::size_t value = *csv->column("value");
  const std::optional<std::size_t> host = csv->column("hostname");

  builder.begin_source(bytes.path(), "counters");
  counters::SampleWriter samples(builder, unit_of);
  for (;;) {
    const Result<bool> more = csv->next();
    if (!more) return more.error();
    if (!*more) break;
    if (csv->fits_header()) {
      samples.add(trim(csv->field(counter)), host ? trim(csv->field(*host)) : std::string_view(),
                  read_time(csv->field(time)), csv->field(value));
    } else {
      drop_row(builder);
    }
  }
  finish_source(*csv, bytes, builder);
  return {};
}

}  // namespace tactus::perf_data

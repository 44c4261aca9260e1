#include "sources/counters/counters.h"

#include <array>

#include "sources/counters/counter_unit.h"
#include "sources/counters/sample_writer.h"
#include "sources/text/csv_reader.h"
#include "sources/text/finish_source.h"
#include "sources/text/number.h"

namespace tactus::counters {
namespace {

constexpr std::array<std::string_view, 4> kColumns = {"timestamp_ns", "counter", "device", "value"};
constexpr std::uint64_t kProgressRows = 1 << 16;

std::optional<std::int64_t> read_time(std::string_view field) {
  const std::optional<WholeNumber> time = read_scaled(trim(field), 0);
  if (!time) return std::nullopt;
  return time->rounded;
}

}  // namespace

bool is_samples(std::string_view head) {
  return has_csv_columns(head, kColumns);
}

Status import(InputBytes& bytes, RunBuilder& builder, Progress& progress) {
  Result<CsvReader> csv = CsvReader::open(bytes);
  if (!csv) return csv.error();
  if (Status complete = csv->require(kColumns); !complete) return complete;
  const std::size_t time = *csv->column("timestamp_ns");
  const std::size_t counter = *csv->column("counter");
  const std::size_t device = *csv->column("device");
  const std::size_t value = *csv->column("value");

  builder.begin_source(bytes.path(), "counters");
  SampleWriter samples(builder, unit_of);
  for (std::uint64_t rows = 1;; ++rows) {
    const Result<bool> more = csv->next();
    if (!more) return more.error();
    if (!*more) break;
    if (csv->fits_header()) {
      samples.add(trim(csv->field(counter)), trim(csv->field(device)), read_time(csv->field(time)),
                  csv->field(value));
    } else {
      drop_row(builder);
    }
    if (rows % kProgressRows == 0) {
      progress.update("reading", bytes.disk_bytes(), bytes.disk_size());
    }
  }
  finish_source(*csv, bytes, builder);
  return {};
}

}  // namespace tactus::counters

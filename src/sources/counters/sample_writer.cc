#include "sources/counters/sample_writer.h"

#include "run/args/usable_number.h"
#include "sources/text/number.h"

namespace tactus::counters {

void SampleWriter::add(std::string_view counter, std::string_view device,
                       std::optional<std::int64_t> time_ns, std::string_view value) {
  if (!time_ns || *time_ns < 0 || *time_ns > kLatestTime) {
    builder_.drop("bad_timestamp");
    return;
  }
  const std::int64_t number = Decimal::from_text(trim(value), builder_.run().strings);
  if (!is_usable_number(number, builder_.run().strings)) {
    builder_.drop("counter_without_number");
    return;
  }
  builder_.run().counters.append({*time_ns, series(counter, device).value, number});
}

SeriesId SampleWriter::series(std::string_view counter, std::string_view device) {
  key_.assign(counter).push_back('\0');
  key_.append(device);
  const auto [at, is_new] = known_.try_emplace(key_);
  if (is_new) {
    at->second = builder_.series({.source = builder_.source_id(),
                                  .process = {},
                                  .name = builder_.intern_repaired(counter),
                                  .field = StringId(0),
                                  .category = StringId(0),
                                  .place = builder_.intern_repaired(device),
                                  .unit = builder_.intern(unit_of_(counter))});
  }
  return at->second;
}

}  // namespace tactus::counters

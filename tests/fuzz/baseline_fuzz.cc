#include <cmath>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "bounds/roofline/baseline.h"
#include "bounds/roofline/roofline.h"
#include "hardware/profile.h"
#include "views/roofline/roofline_view.h"

// Times that somebody measured, held against the bounds of one operator.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tactus;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<std::vector<BaselineTime>> times = read_baseline(text, "fuzz");
  if (!times) {
    CHECK(!times.error().message.empty());
    return 0;
  }
  for (const BaselineTime& time : *times) CHECK(std::isfinite(time.t_ns) && time.t_ns > 0);
  static const Catalogue catalogue = built_in_catalogue();
  const HardwareProfile* const hardware[] = {&built_in_hardware().front()};
  const Result<Roofline> roofline =
      make_roofline(catalogue, hardware, *times, {.operator_name = "layer_norm"});
  if (!roofline) return 0;
  show_operator_text(*roofline, 80);
  show_roofline_json(*roofline);
  return 0;
}

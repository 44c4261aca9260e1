#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "bounds/roofline/roofline.h"
#include "catalogue/catalogue.h"
#include "hardware/profile.h"
#include "views/roofline/roofline_view.h"

// Somebody's catalogue: what was read is written so that it reads again, and has a roofline.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tactus;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<Catalogue> catalogue = read_catalogue(text, "fuzz");
  if (!catalogue) {
    CHECK(!catalogue.error().message.empty());
    return 0;
  }
  CHECK(read_catalogue(catalogue_text(*catalogue), "again"));
  const HardwareProfile* const hardware[] = {&built_in_hardware().front()};
  for (const CostModel model : {CostModel::kStrict, CostModel::kCatalogue}) {
    const Result<Roofline> roofline = make_roofline(*catalogue, hardware, {}, {.model = model});
    if (!roofline) continue;
    show_roofline_text(*roofline, 80);
    show_roofline_json(*roofline);
  }
  return 0;
}

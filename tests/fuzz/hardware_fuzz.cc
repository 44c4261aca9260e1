#include "base/check.h"
#include "hardware/profile.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tactus;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto profile = read_hardware_profile(text, "fuzz");
  if (!profile) {
    CHECK(!profile.error().message.empty());
    (void)find_hardware(text);
    (void)hardware_of_device(text);
    return 0;
  }
  // What was read is written so that it reads the same.
  const std::string written = hardware_profile_text(*profile);
  const auto again = read_hardware_profile(written, "written");
  CHECK(again);
  CHECK(hardware_profile_text(*again) == written);
  return 0;
}

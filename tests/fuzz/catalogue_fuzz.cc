#include <cstdint>
#include <string_view>

#include "bounds/baseline.h"
#include "catalogue/catalogue.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tactus;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<Catalogue> catalogue = read_catalogue(text, "fuzz");
  if (catalogue && !read_catalogue(catalogue_text(*catalogue), "again")) __builtin_trap();
  if (!read_baseline(text, "fuzz")) return 0;
  return 0;
}

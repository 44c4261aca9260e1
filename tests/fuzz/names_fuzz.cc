#include "base/check.h"
#include "names/kernel_name.h"
#include "support.h"

// A kernel's name can be anything; it is decoded as it is, and as if it were mangled.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tactus;
  const std::string name(reinterpret_cast<const char*>(data), size);
  for (const std::string& text : {name, "_Z" + name}) {
    const KernelName decoded = decode_kernel_name(text);
    CHECK(!family_name(decoded.family).empty());
    CHECK(decoded.op.size() <= 2 * text.size() + 64);
  }
  return 0;
}

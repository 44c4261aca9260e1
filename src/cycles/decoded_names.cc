#include "cycles/decoded_names.h"

namespace tactus {

const KernelName& DecodedNames::of(std::uint32_t name) {
  std::uint32_t& place = place_[name];
  if (place == 0) {
    decoded_.push_back(decode_kernel_name(text(name)));
    place = static_cast<std::uint32_t>(decoded_.size());
  }
  return decoded_[place - 1];
}

}  // namespace tactus

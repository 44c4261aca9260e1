#pragma once

#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

#include "names/kernel_name.h"
#include "run/run.h"

namespace tactus {

/// Names of a run decoded once each, by StringId value.
class DecodedNames {
 public:
  explicit DecodedNames(const Run& run) : run_(run), place_(run.strings.size(), 0) {}

  const KernelName& of(std::uint32_t name) {
    std::uint32_t& place = place_[name];
    if (place == 0) {
      decoded_.push_back(decode_kernel_name(text(name)));
      place = static_cast<std::uint32_t>(decoded_.size());
    }
    return decoded_[place - 1];
  }
  std::string_view text(std::uint32_t name) const { return run_.strings[StringId(name)]; }

 private:
  const Run& run_;
  std::vector<std::uint32_t> place_;  ///< one past its place in decoded_; 0: not decoded yet
  std::deque<KernelName> decoded_;
};

}  // namespace tactus

#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string_view>
#include <utility>
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
    if (place == 0) place = place_of(decode_kernel_name(text(name)));
    return decoded_[place - 1];
  }
  std::string_view text(std::uint32_t name) const { return run_.strings[StringId(name)]; }

 private:
  /// Names of a family that say the same as the one before share its place: a run may have very
  /// many names that say nothing.
  std::uint32_t place_of(KernelName name) {
    std::uint32_t& last = last_of_family_[static_cast<std::size_t>(name.family)];
    if (last == 0 || decoded_[last - 1] != name) {
      decoded_.push_back(std::move(name));
      last = static_cast<std::uint32_t>(decoded_.size());
    }
    return last;
  }

  const Run& run_;
  std::vector<std::uint32_t> place_;  ///< one past its place in decoded_; 0: not decoded yet
  std::deque<KernelName> decoded_;
  std::array<std::uint32_t, kFamilies> last_of_family_{};  ///< the same of the last new one
};

}  // namespace tactus

#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <string_view>

namespace tactus::names {

/// A word of a kernel's name in lower case and without underscores, and where the words begin that
/// it is made of: after underscores, at capitals, and where letters and digits meet.
///
///   MyTopKSampling   my top k sampling
///   add3_rmsnorm     add 3 rmsnorm
class WordParts {
 public:
  explicit WordParts(std::string_view word);

  std::string_view text() const { return {text_.data(), size_}; }
  bool starts(std::size_t at) const { return starts_[at]; }
  /// Where the first word begins that says something: "my_fused_fill" begins with "fill".
  std::size_t first() const { return first_; }

  /// Whether words begin and end here. Authors glue what is said of many kernels to a word
  /// ("flashattn", "rmsnormkernel"), and words have endings ("quantized", "sorting").
  bool begins_here(std::size_t at) const;
  bool ends_here(std::size_t at) const;

 private:
  static constexpr std::size_t kMost = 128;

  void find_first();

  std::size_t size_ = 0;
  std::size_t first_ = 0;
  std::array<char, kMost> text_;
  std::bitset<kMost + 1> starts_;  // the last one is the end
};

}  // namespace tactus::names

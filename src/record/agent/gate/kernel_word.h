#pragma once

#include <cstddef>
#include <string_view>

#include "names/wrappers.h"

namespace tactus::agent {

/// Reads the word by which a kernel is known out of the name that the driver has: what its function
/// is called or, inside wrappers, the class that they launch.
///
///   _ZN8cublasLt19splitKreduce_kernelILi32EEvPf                     splitKreduce_kernel
///   _ZN7cutlass13device_kernelINS_4gemm6kernel13GemmUniversalI..    GemmUniversal
///   triton_poi_fused_0                                              triton_poi_fused_0
///
/// A kernel is no member of a class, so its own word is the last one before its template arguments:
/// these need not be read, and neither do parameters. names::called_name says the same of names in
/// any form; it needs more memory than a thread of somebody else may have.
class KernelWord {
 public:
  explicit KernelWord(std::string_view name) : rest_(name) {}

  /// Empty if a mangled name cannot be read.
  std::string_view read() {
    if (!rest_.starts_with("_Z")) return rest_;
    rest_.remove_prefix(2);
    std::string_view word = name();
    while (names::is_wrapper(word) && begin_class()) {
      const std::string_view inside = name();
      if (inside.empty()) break;
      word = inside;
    }
    return word;
  }

 private:
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
  char peek(std::size_t ahead = 0) const { return ahead < rest_.size() ? rest_[ahead] : '\0'; }
  bool take(char c) {
    if (peek() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  /// "N5flash4implI": the words of a qualified name, up to its template arguments or its end.
  std::string_view name() {
    const bool is_nested = take('N');
    while (is_nested && (take('r') || take('V') || take('K'))) {
    }
    std::string_view word;
    while (word.empty() || is_nested) {
      if (peek() == 'S') {
        if (!skip_reference()) return {};
      } else if (is_digit(peek()) || (peek() == 'L' && is_digit(peek(1)))) {
        take('L');  // of a function that only its file knows
        word = source_name();
        if (word.empty()) return {};
      } else {
        break;
      }
    }
    return word;
  }

  /// "13device_kernel"
  std::string_view source_name() {
    std::size_t size = 0;
    while (is_digit(peek()) && size <= rest_.size()) {
      size = size * 10 + static_cast<std::size_t>(peek() - '0');
      rest_.remove_prefix(1);
    }
    if (size > rest_.size()) return {};
    const std::string_view word = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return word;
  }

  /// "S_", "S1A_", "St": a part that was there before.
  bool skip_reference() {
    rest_.remove_prefix(1);
    if (is_lower(peek())) return take(peek());
    while (is_digit(peek()) || (peek() >= 'A' && peek() <= 'Z')) rest_.remove_prefix(1);
    return take('_');
  }

  /// "ILi1EN..": to the first template argument that is a class. False if there are none.
  bool begin_class() {
    if (!take('I')) return false;
    while (peek() == 'L' && is_lower(peek(1))) {
      const std::size_t end = rest_.find('E');
      if (end == std::string_view::npos) return false;
      rest_.remove_prefix(end + 1);
    }
    return true;
  }

  std::string_view rest_;
};

}  // namespace tactus::agent

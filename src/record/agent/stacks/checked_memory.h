#pragma once

#include <cstddef>
#include <cstdint>

namespace tactus::agent {

using Address = std::uint64_t;

/// Copies memory of this process that may not be there, by asking the kernel (about 1 us). False if
/// some of it is not readable. Never a signal.
bool read_checked(Address from, void* to, std::size_t bytes);
template <class T>
bool read_checked(Address from, T& to) {
  return read_checked(from, &to, sizeof to);
}
/// The child of a fork has another pid.
void forget_pid();

/// Memory that belongs to a thread as long as it does not return from the call that it is in: the
/// state and the frames of its Python.
///
/// Pages that were read before by way of the kernel are read directly: nobody but the thread itself
/// takes them away, except when Python ends (direct_readers.h). A thread that cannot be protected
/// from that reads a copy that the kernel makes of its frames.
class OwnMemory {
 public:
  void begin(bool reads_directly) { is_direct_ = reads_directly; }
  /// Copies that much at once, for `read` of a thread that does not read directly.
  void copy_window(Address from, std::size_t bytes);
  void drop_window() { window_bytes_ = 0; }
  bool reads_directly() const { return is_direct_; }
  void forget_pages();

  bool read(Address from, void* to, std::size_t bytes);
  template <class T>
  bool read(Address from, T& to) {
    return read(from, &to, sizeof to);
  }

 private:
  static constexpr std::size_t kPages = 256;
  static constexpr std::size_t kWindow = 16384;

  bool knows(Address page) const { return pages_[page % kPages] == page; }

  bool is_direct_ = false;
  Address window_ = 0;
  std::size_t window_bytes_ = 0;
  Address pages_[kPages] = {};
  alignas(64) unsigned char copy_[kWindow];
};

}  // namespace tactus::agent

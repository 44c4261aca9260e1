#pragma once

#include <cstdint>
#include <vector>

#include "base/file.h"
#include "inject/request.h"
#include "wire/injection.h"

namespace tactus::inject {

/// When this process was started, in ns since the epoch, to 10 ms; nothing has been prepared yet
/// then.
std::int64_t process_start_ns();

/// Tells recorders what is injected. Whoever asks is told the state, and each change of it; nobody
/// who asks can hold it up.
class Announcement {
 public:
  /// `turn` is what `take_the_turn` gave; it listens already.
  Announcement(const File& turn, const InjectRequest& request, std::int64_t started_ns);

  /// Readable when somebody asks.
  int fd() const { return turn_.fd(); }
  std::int64_t started_ns() const { return now_.started_ns; }
  bool has_begun() const { return now_.begin_ns != 0; }
  /// Lets in who asks.
  void serve();
  /// Times in ns since the epoch; 0: not yet.
  void tell(std::int64_t begin_ns, std::int64_t end_ns);
  /// Stays for as long as a recorder may need to ask: also a short injection is known.
  void linger();

 private:
  const File& turn_;
  wire::Injection now_;
  std::int64_t made_ns_;
  std::vector<File> listeners_;
};

}  // namespace tactus::inject

#pragma once

#include <optional>
#include <string>

#include "base/file.h"
#include "base/result.h"

namespace tactus::record {

/// What an agent hands over when it starts.
struct Arrival {
  File data;
  File control;
  std::int64_t pid = 0;
};

/// The socket at which agents report. Its name is drawn at random and is in no folder, so nothing
/// stays behind, however the recorder ends. Only processes of the same user are let in.
class Listener {
 public:
  static Result<Listener> open();

  /// What the environment of a target says: "@" and the name.
  const std::string& address() const { return address_; }
  int fd() const { return socket_.fd(); }
  /// The next agent that has reported, if any. What is not an agent of this user is refused.
  std::optional<Arrival> accept();
  std::uint64_t refused() const { return refused_; }

 private:
  Listener(File socket, std::string address)
      : socket_(std::move(socket)), address_(std::move(address)) {}

  File socket_;
  std::string address_;
  std::uint64_t refused_ = 0;
};

}  // namespace tactus::record

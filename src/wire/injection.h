// What a process that injects a load tells recorders of its host. It listens at an address that
// makes sure that one injection runs per user; whoever connects is sent this whenever it changes.
// Needs the C library only.
#pragma once

#include <cstdint>
#include <cstring>

#include "wire/sockets.h"

namespace tactus::wire {

inline constexpr std::uint64_t kInjectionMagic = 0x316a6e6974636174;  // "tactinj1"

/// A recorder asks this often at least; an injection can be asked for twice as long.
inline constexpr int kAskedEveryMs = 200;

struct Injection {
  std::uint64_t magic = kInjectionMagic;
  std::int64_t started_ns = 0;  ///< when the injector was started; since the epoch, as the next two
  std::int64_t begin_ns = 0;    ///< of the load; 0: not yet
  std::int64_t end_ns = 0;      ///< 0: not yet
  double intensity = 0;
  char scenario[32] = {};
  char shape[16] = {};
};

/// Where the injection of a user is told.
inline SocketAddress injection_address(uid_t user) {
  constexpr char kName[] = "@tactus-inject-";
  char text[sizeof kName + 10];
  std::memcpy(text, kName, sizeof kName);
  std::size_t digits = 1;
  for (uid_t rest = user; rest >= 10; rest /= 10) ++digits;
  const std::size_t length = sizeof kName - 1 + digits;
  for (std::size_t i = length; digits > 0; --digits, user /= 10) {
    text[--i] = static_cast<char>('0' + user % 10);
  }
  SocketAddress address;
  fill_address(text, length, address);
  return address;
}

}  // namespace tactus::wire

#include "record/beside/running_injections.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <utility>

namespace tactus::record {
namespace {

/// One that tells without end is not to hold the recorder up.
constexpr int kMostMessages = 16;

template <std::size_t N>
std::string text_in(const char (&room)[N]) {
  std::string text;
  for (std::size_t i = 0; i < N && room[i] != '\0'; ++i) {
    const char c = room[i];
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    text += is_plain ? c : '?';
  }
  return text;
}

InjectedTruth truth_of(const wire::Injection& told, std::int64_t end_ns) {
  InjectedTruth truth{.scenario = text_in(told.scenario),
                      .shape = text_in(told.shape),
                      .intensity = std::isfinite(told.intensity) ? told.intensity : 0,
                      .begin_ns = told.begin_ns,
                      .end_ns = std::max(end_ns, told.begin_ns)};
  truth.seconds = static_cast<double>(truth.end_ns - truth.begin_ns) / 1e9;
  truth.before = static_cast<double>(truth.begin_ns - told.started_ns) / 1e9;
  return truth;
}

/// What no clock of this host says is no time of an injection.
bool makes_sense(const wire::Injection& told, std::int64_t now_ns) {
  constexpr std::int64_t kFarOff = 1'000'000'000L * 3600 * 24 * 7;
  const auto is_near = [&](std::int64_t time_ns) {
    return time_ns > now_ns - kFarOff && time_ns < now_ns + kFarOff;
  };
  return told.magic == wire::kInjectionMagic && is_near(told.started_ns) &&
         (told.begin_ns == 0 || is_near(told.begin_ns)) &&
         (told.end_ns == 0 || is_near(told.end_ns));
}

std::vector<wire::SocketAddress> believed_addresses() {
  std::vector<wire::SocketAddress> addresses = {wire::injection_address(::geteuid())};
  if (::geteuid() != 0) addresses.push_back(wire::injection_address(0));
  return addresses;
}

}  // namespace

RunningInjections::RunningInjections() : RunningInjections(believed_addresses()) {}

RunningInjections::RunningInjections(std::vector<wire::SocketAddress> addresses) {
  for (const wire::SocketAddress& address : addresses) {
    tellers_.emplace_back().address = address;
  }
}

void RunningInjections::connect(Teller& teller) {
  File connection(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!connection.is_open() ||
      ::connect(connection.fd(), teller.address.get(), teller.address.size) != 0) {
    return;
  }
  if (!wire::is_peer_of_this_user(connection.fd())) {
    ucred peer{};
    const bool is_known = wire::find_peer(connection.fd(), peer);
    if (!std::exchange(teller.was_refused, true)) {
      warnings_.push_back(fmt::format(
          "{} of another user says that it injects a load; that is not believed, and not recorded",
          is_known ? fmt::format("process {}", peer.pid) : "a process"));
    }
    return;
  }
  teller.connection = std::move(connection);
  teller.latest = {};
  teller.is_recorded = false;
}

void RunningInjections::hear(Teller& teller, std::int64_t now_ns,
                             std::vector<InjectedTruth>& ended) {
  for (int i = 0; i < kMostMessages; ++i) {
    wire::Injection told;
    const ssize_t got = ::recv(teller.connection.fd(), &told, sizeof told, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    const bool is_over = got != sizeof told || !makes_sense(told, now_ns);
    if (!is_over) teller.latest = told;
    // An injector that was killed could not say that it ended; its load ended with it.
    if (is_over && teller.latest.end_ns == 0) teller.latest.end_ns = now_ns;
    if (teller.latest.begin_ns != 0 && teller.latest.end_ns != 0 &&
        !std::exchange(teller.is_recorded, true)) {
      ended.push_back(truth_of(teller.latest, teller.latest.end_ns));
    }
    if (!is_over) continue;
    teller.connection = File();
    return;
  }
}

std::vector<InjectedTruth> RunningInjections::look(std::int64_t now_ns) {
  std::vector<InjectedTruth> ended;
  for (Teller& teller : tellers_) {
    if (!teller.connection.is_open()) connect(teller);
    if (teller.connection.is_open()) hear(teller, now_ns, ended);
  }
  return ended;
}

std::vector<InjectedTruth> RunningInjections::finish(std::int64_t now_ns) {
  std::vector<InjectedTruth> ended = look(now_ns);
  for (Teller& teller : tellers_) {
    const bool goes_on = teller.connection.is_open() && teller.latest.begin_ns != 0;
    if (goes_on && !teller.is_recorded) ended.push_back(truth_of(teller.latest, now_ns));
    teller.connection = File();
  }
  return ended;
}

}  // namespace tactus::record

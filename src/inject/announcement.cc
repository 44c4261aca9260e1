#include "inject/announcement.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <iterator>

#include "inject/pace.h"
#include "record/meters/host/proc_text.h"

namespace tactus::inject {
namespace {

/// Of one user, few recordings run at a time.
constexpr std::size_t kMostListeners = 64;

template <std::size_t N>
void fill(char (&room)[N], std::string_view text) {
  text.copy(room, std::min(text.size(), N - 1));
}

bool send(const File& listener, const wire::Injection& now) {
  return ::send(listener.fd(), &now, sizeof now, MSG_DONTWAIT | MSG_NOSIGNAL) == sizeof now;
}

/// Others would not believe it.
bool may_listen(const File& listener) {
  return ::geteuid() == 0 || wire::is_peer_of_this_user(listener.fd());
}

}  // namespace

std::int64_t process_start_ns() {
  std::ifstream file("/proc/self/stat", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::optional<meters::ProcessStat> own = meters::parse_process_stat(text);
  const std::int64_t now_ns = wall_clock_ns();
  timespec up{};
  if (!own || ::clock_gettime(CLOCK_BOOTTIME, &up) != 0) return now_ns;
  const std::int64_t tick_ns = 1'000'000'000L / ::sysconf(_SC_CLK_TCK);
  const std::int64_t age_ns = up.tv_sec * 1'000'000'000L + up.tv_nsec -
                              static_cast<std::int64_t>(own->start_ticks) * tick_ns;
  return now_ns - std::max<std::int64_t>(age_ns, 0);
}

Announcement::Announcement(const File& turn, const InjectRequest& request, std::int64_t started_ns)
    : turn_(turn), made_ns_(monotonic_ns()) {
  now_.started_ns = started_ns;
  now_.intensity = request.intensity;
  fill(now_.scenario, request.scenario);
  fill(now_.shape, shape_name(request.shape));
}

void Announcement::serve() {
  File listener(::accept4(turn_.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!listener.is_open() || !may_listen(listener) || !send(listener, now_)) return;
  if (listeners_.size() < kMostListeners) listeners_.push_back(std::move(listener));
}

void Announcement::tell(std::int64_t begin_ns, std::int64_t end_ns) {
  if (begin_ns == now_.begin_ns && end_ns == now_.end_ns) return;
  now_.begin_ns = begin_ns;
  now_.end_ns = end_ns;
  std::erase_if(listeners_, [this](const File& listener) { return !send(listener, now_); });
}

void Announcement::linger() {
  const std::int64_t until_ns = made_ns_ + 2 * wire::kAskedEveryMs * 1'000'000L;
  for (std::int64_t now = monotonic_ns(); now < until_ns; now = monotonic_ns()) {
    pollfd asked{.fd = turn_.fd(), .events = POLLIN, .revents = 0};
    if (::poll(&asked, 1, static_cast<int>((until_ns - now) / 1'000'000 + 1)) == 1) serve();
  }
}

}  // namespace tactus::inject

#include "watch/sources/listening_process.h"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace tactus::watch {
namespace {

namespace fs = std::filesystem;

/// The numbers of sockets that listen at a port, of /proc/net/tcp and tcp6:
///
///     sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout
///     inode
///      0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0
///      4711 1
std::set<std::string> listening_sockets(const std::string& path, std::uint16_t port) {
  std::set<std::string> found;
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string number, local, remote, state, queues, timer, retries, user, timeout, inode;
    words >> number >> local >> remote >> state >> queues >> timer >> retries >> user >> timeout >>
        inode;
    const std::size_t colon = local.find(':');
    constexpr const char* kListens = "0A";
    if (state != kListens || colon == std::string::npos) continue;
    std::uint16_t at = 0;
    const char* const end = local.data() + local.size();
    const auto read = std::from_chars(local.data() + colon + 1, end, at, 16);
    if (read.ec == std::errc() && read.ptr == end && at == port) found.insert(inode);
  }
  return found;
}

bool has_socket(const fs::path& process, const std::set<std::string>& inodes) {
  std::error_code error;
  for (fs::directory_iterator at(process / "fd", error), end; !error && at != end;
       at.increment(error)) {
    std::error_code unread;
    const std::string target = fs::read_symlink(at->path(), unread).string();
    constexpr std::string_view kSocket = "socket:[";
    if (unread || !target.starts_with(kSocket)) continue;
    if (inodes.contains(target.substr(kSocket.size(), target.size() - kSocket.size() - 1))) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::optional<std::int64_t> listening_process(const std::string& host, std::uint16_t port,
                                              const std::string& proc) {
  const bool is_here = host == "localhost" || host == "::1" || host == "[::1]" ||
                       host.starts_with("127.") || host == "0.0.0.0";
  if (!is_here) return std::nullopt;
  std::set<std::string> inodes = listening_sockets(proc + "/net/tcp", port);
  inodes.merge(listening_sockets(proc + "/net/tcp6", port));
  if (inodes.empty()) return std::nullopt;
  // A server hands its socket on to those that it starts; the first one started the others.
  std::optional<std::int64_t> first;
  std::error_code error;
  for (fs::directory_iterator at(proc, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    std::int64_t pid = 0;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (read.ec != std::errc() || read.ptr != name.data() + name.size()) continue;
    if ((!first || pid < *first) && has_socket(at->path(), inodes)) first = pid;
  }
  return first;
}

}  // namespace tactus::watch

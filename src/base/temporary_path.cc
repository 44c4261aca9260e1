#include "base/temporary_path.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <utility>

namespace tactus {
namespace {

enum class State : unsigned char { kFree, kInWork, kFile, kFolder };

/// One path as a signal handler can read it.
struct Place {
  std::atomic<State> state{State::kFree};
  pid_t owner = 0;  ///< a child that was forked must not remove its parent's files
  std::array<char, 4096> path{};
};

// A handler can only use static data. A command has one or two files open; if all places are taken,
// a file is only not removed by signals.
std::array<Place, 16> places;

int enter(const std::string& path, TemporaryPath::Kind kind) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    Place& place = places[i];
    State expected = State::kFree;
    if (path.size() >= place.path.size()) break;
    if (!place.state.compare_exchange_strong(expected, State::kInWork)) continue;
    std::memcpy(place.path.data(), path.c_str(), path.size() + 1);
    place.owner = ::getpid();
    place.state = kind == TemporaryPath::Kind::kFile ? State::kFile : State::kFolder;
    return static_cast<int>(i);
  }
  return -1;
}

/// A handler must not walk through folders itself, but it may start a program.
void remove_folder(const char* path) {
  const pid_t child = ::_Fork();  // fork() takes locks that the interrupted thread may hold
  if (child == 0) {
    ::execl("/bin/rm", "rm", "-rf", "--", path, nullptr);
    ::_exit(127);
  }
  if (child > 0) ::waitpid(child, nullptr, 0);
}

}  // namespace

TemporaryPath::TemporaryPath(std::string path, Kind kind)
    : path_(std::move(path)), kind_(kind), place_(enter(path_, kind)) {}

TemporaryPath::TemporaryPath(TemporaryPath&& other) noexcept
    : path_(std::exchange(other.path_, {})),
      kind_(other.kind_),
      place_(std::exchange(other.place_, -1)) {}

TemporaryPath::~TemporaryPath() {
  if (path_.empty()) return;
  std::error_code error;
  if (kind_ == Kind::kFile) {
    ::unlink(path_.c_str());
  } else {
    std::filesystem::remove_all(path_, error);
  }
  keep();
}

void TemporaryPath::keep() {
  path_.clear();
  if (place_ >= 0) places[static_cast<std::size_t>(place_)].state = State::kFree;
  place_ = -1;
}

void remove_temporary_paths() {
  for (Place& place : places) {
    const State state = place.state;
    if (state != State::kFile && state != State::kFolder) continue;
    if (place.owner != ::getpid()) continue;
    if (state == State::kFile) {
      ::unlink(place.path.data());
    } else {
      remove_folder(place.path.data());
    }
  }
}

}  // namespace tactus

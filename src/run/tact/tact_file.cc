#include "run/tact/tact_file.h"

#include <sys/stat.h>

#include "run/tact/tact_store.h"

namespace tactus {

bool is_tact(std::string_view head) {
  return head.starts_with(tact::kMagic);
}

Result<Run> open_run(const std::string& path, const OpenOptions& options) {
  Result<File> file = File::open_for_reading(path);
  if (!file) return file.error();
  return open_run(std::move(*file), path, options);
}

Result<Run> open_run(File file, const std::string& path, const OpenOptions& options) {
  auto store = std::make_shared<TactStore>(std::move(file), path, options.threads);
  Run run;
  if (Status status = store->open(run, options.window); !status) return status.error();
  run.store = store;
  run.store_status = [store] { return store->status(); };
  return run;
}

RunFollower::RunFollower() = default;
RunFollower::RunFollower(RunFollower&&) noexcept = default;
RunFollower& RunFollower::operator=(RunFollower&&) noexcept = default;
RunFollower::~RunFollower() = default;

Result<RunFollower> RunFollower::open(const std::string& path, unsigned threads) {
  Result<File> file = File::open_for_reading(path);
  if (!file) return file.error();
  RunFollower follower;
  follower.path_ = path;
  struct stat status {};
  if (::fstat(file->fd(), &status) != 0) return input_error(path + ": cannot stat");
  follower.device_ = status.st_dev;
  follower.inode_ = status.st_ino;
  follower.store_ = std::make_shared<TactStore>(std::move(*file), path, threads);
  follower.run_.store = follower.store_;
  follower.run_.store_status = [store = follower.store_] { return store->status(); };
  return follower;
}

Result<bool> RunFollower::poll() {
  const Result<std::uint64_t> taken = store_->follow(run_);
  if (!taken) return taken.error();
  generation_ += *taken;
  if (*taken != 0 || is_finished()) return *taken != 0;
  // Nothing came, and it is not complete: perhaps it is not the file of this name any more.
  struct stat now {};
  const bool exists = ::stat(path_.c_str(), &now) == 0;
  if (!exists || now.st_dev != device_ || now.st_ino != inode_) {
    return input_error(path_ + ": was replaced or removed while it was read; open it again");
  }
  return false;
}

bool RunFollower::is_finished() const {
  return store_->is_finished();
}

}  // namespace tactus

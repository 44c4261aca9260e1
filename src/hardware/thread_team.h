#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace tactus {

/// Threads that wait for work, so that starting it costs as little as possible on this machine. The
/// caller of `run` is one of them.
class ThreadTeam {
 public:
  explicit ThreadTeam(unsigned threads);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  /// Calls `work(member)` once on each thread, and returns when all are done.
  void run(const std::function<void(unsigned)>& work);

  /// Processor time that all threads but the caller of `run` have used.
  double others_seconds() const;

  unsigned size() const { return static_cast<unsigned>(others_.size()) + 1; }

 private:
  void follow(unsigned member);

  const std::function<void(unsigned)>* work_ = nullptr;  ///< null: stop
  std::atomic<std::uint32_t> call_{0};                   ///< counts the calls of `run`
  std::atomic<std::uint32_t> busy_{0};                   ///< of the others
  std::vector<std::jthread> others_;
};

}  // namespace tactus

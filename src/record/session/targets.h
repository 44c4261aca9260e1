#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "record/session/agent_memory.h"
#include "record/session/listener.h"

namespace tactus::record {

/// Device and inode.
using FileId = std::pair<std::uint64_t, std::uint64_t>;

/// A process that is being recorded.
struct Target {
  Target(AgentMemory agent, std::int64_t process, std::size_t order)
      : memory(std::move(agent)), pid(process), number(order) {}

  AgentMemory memory;
  std::int64_t pid;
  std::size_t number;  ///< counts the processes of a recording
  File pidfd;          ///< readable when the process has ended
  File lock;           ///< no other recorder reads it
  FileId file;         ///< of the agent's data
  bool has_ended = false;
  bool has_kernels = false;  ///< CUPTI tells of its kernels
};

/// What was read since the last time.
struct Harvest {
  struct Part {
    std::shared_ptr<Target> target;
    std::vector<ThreadRecord> records;
    std::vector<wire::Activity> activities;
    bool is_last = false;      ///< nothing more will come
    bool has_kernels = false;  ///< CUPTI tells of kernels, here or soon
  };
  std::vector<Part> parts;
  std::uint64_t lost = 0;  ///< records that found no room here
};

/// The processes that are being recorded. A thread of its own empties their rings, so that a slow
/// disk does not make them overflow.
class Targets {
 public:
  struct Options {
    Wishes wishes;
    Listener* listener = nullptr;  ///< where agents report; null: nowhere
    std::int64_t root_pid = 0;     ///< record this process and what it starts; 0: none
  };

  explicit Targets(const Options& options);
  ~Targets();
  Targets(const Targets&) = delete;
  Targets& operator=(const Targets&) = delete;

  /// Looks for the agent in a process that runs. An error if it has none, or if somebody records it
  /// already.
  Status attach(std::int64_t pid);
  /// Starts the thread.
  void begin();
  /// Tells all agents to stop, reads what they still have, and ends the thread.
  void end();
  Harvest take();
  /// What is wanted of all agents from now on, also of those that come later.
  void wish(const Wishes& wishes);
  /// Why processes were not recorded, once each.
  std::vector<std::string> take_warnings();

 private:
  void run();
  void look_for_new();
  /// How full the fullest ring was.
  double drain_all();
  Status add(Arrival arrival, bool is_new);
  void drain_activities(Target& target);
  void hand_over(const std::shared_ptr<Target>& target, bool is_last);
  void warn(std::string message);

  Options options_;
  std::vector<std::shared_ptr<Target>> targets_;  ///< of the thread, once it runs
  std::set<FileId> known_files_;
  std::size_t processes_ = 0;
  std::vector<ThreadRecord> room_;
  std::vector<wire::Activity> activity_room_;

  std::mutex mutex_;
  std::condition_variable wakes_;
  Harvest harvest_;  ///< guarded, as are the next
  std::size_t waiting_records_ = 0;
  std::optional<Wishes> new_wishes_;  ///< other ones than those of the options
  std::vector<std::string> warnings_;
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace tactus::record

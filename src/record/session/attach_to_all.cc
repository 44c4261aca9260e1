#include "record/session/attach_to_all.h"

#include <fmt/format.h>

#include "record/attach/load_agent.h"
#include "record/session/command.h"
#include "record/session/processes.h"

namespace tactus::record {
namespace {

/// Into all processes that use CUDA; one that cannot be helped ends it.
Result<Attached> inject_into_all(std::int64_t root, Targets& targets,
                                 const std::function<bool()>& should_stop) {
  const Result<std::string> library = find_agent_library();
  if (!library) return library.error();
  const std::vector<std::int64_t> family = with_descendants(root);
  Attached attached;
  for (const std::int64_t pid : family) {
    // A server's first process may use no GPU itself.
    if (!has_cuda(pid) && (pid != root || family.size() > 1)) continue;
    if (Status loaded = load_agent(pid, *library, should_stop); !loaded) return loaded.error();
    if (Status added = targets.attach(pid); !added) return added.error();
    attached.told.push_back(fmt::format(
        "process {}: the agent was loaded; it stays there, asleep, until the process ends", pid));
  }
  if (!attached.told.empty()) return attached;
  return input_error(fmt::format(
      "process {} and those that it started have not loaded the CUDA driver (libcuda.so.1)", root));
}

}  // namespace

Result<Attached> attach_to_all(const AttachWish& wish, Targets& targets,
                               const std::function<bool()>& should_stop) {
  // A server's first process may be one that starts others and uses no GPU itself.
  const Status first = targets.attach(wish.pid);
  if (first) return Attached();
  if (first.error().code == ErrorCode::kUsage) return first.error();
  for (const std::int64_t pid : with_descendants(wish.pid)) {
    if (targets.attach(pid)) return Attached();
  }
  if (wish.inject) return inject_into_all(wish.pid, targets, should_stop);
  if (!may_look_into(wish.pid) && !wish.has_host) {
    if (!wish.can_do_without) return first.error();
    return Attached{.has_agent = false,
                    .told = {first.error().message + "; only its meters are recorded"}};
  }
  const std::string advice =
      "start it with LD_PRELOAD=$(tactus record --print-agent), or by tactus record -- COMMAND";
  if (!wish.can_do_without) return input_error(first.error().message + "; " + advice);
  const std::string what =
      wish.has_host
          ? ": launches are watched from outside, which costs more; "
          : ": only meters are recorded; --host adds what its threads do, --inject its kernels; ";
  return Attached{.has_agent = false, .told = {first.error().message + what + advice}};
}

}  // namespace tactus::record

#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "run/run.h"

namespace tactus::testing {

/// How a command ended, and what it wrote.
struct Ended {
  int code = 0;  ///< 128 + signal if one ended it
  std::string out;
};

/// Runs a command of a shell with the stand-in driver; its standard error is left out.
Ended run_command(const std::string& command);
/// Starts it; the value is its pid. The command must be one program, not a shell's list.
int start_command(const std::vector<std::string>& words,
                  const std::vector<std::string>& environment = {});
int wait_for(int pid);
/// Waits until `is_so`, at most 20 s.
bool wait_until(const std::function<bool()>& is_so);

/// "tactus record -o FILE OPTIONS -- ", for a command to follow.
std::string record_to(const std::string& file, const std::string& options = "");
std::string program(const std::string& name);

/// One line of the stand-in's log.
struct LoggedWork {
  std::string what;
  std::string name;
  std::string grid;
  std::string block;
  std::string hash;
};
/// By pid and stream, in order.
using Log = std::map<std::pair<std::int64_t, std::int64_t>, std::vector<LoggedWork>>;
Log read_log(const std::string& path);

/// Launches of a recording ("mix [3,1,1] [128,1,1]"), by pid and stream as it numbers them, in
/// order.
std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::string>> recorded_launches(
    const Run& run);
/// Slices of a name.
std::size_t count_of(const Run& run, std::string_view name);

}  // namespace tactus::testing

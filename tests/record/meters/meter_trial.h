#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "record/meters/host/host_meters.h"
#include "record/meters/reader.h"
#include "support/files.h"

namespace tactus::meters {

/// A machine of files, and what readers make of it.
class MeterTrial {
 public:
  Root root() const { return {folder_.path().string()}; }

  void put(const std::string& path, std::string_view text) const {
    const std::filesystem::path whole(folder_.path().string() + path);
    std::filesystem::create_directories(whole.parent_path());
    folder_.write(whole.string().substr(folder_.path().string().size() + 1), text);
  }
  void remove(const std::string& path) const {
    std::filesystem::remove_all(folder_.path().string() + path);
  }
  /// A process whose /proc/PID/stat has that parent and ticks.
  void put_process(std::int64_t pid, std::int64_t parent, int ticks = 0, int start = 100,
                   char state = 'S') const {
    put("/proc/" + std::to_string(pid) + "/stat",
        std::to_string(pid) + " (python3 (x) y) " + state + " " + std::to_string(parent) +
            " 1 1 0 -1 4194304 100 0 0 0 " + std::to_string(ticks) + " 0 0 0 20 0 1 0 " +
            std::to_string(start) + " 1000 10\n");
  }

  void read(MeterReader& reader) { reader.read(sink_); }

  /// The samples since the last call, by "name of device".
  std::map<std::string, std::vector<MeterSample>> samples() {
    std::vector<MeterSample> all;
    ring.drain(all);
    const std::vector<MeterCounter> counters = table.counters(0);
    const std::vector<MeterDevice> devices = table.devices();
    std::map<std::string, std::vector<MeterSample>> found;
    for (const MeterSample& sample : all) {
      const MeterCounter& counter = counters.at(sample.counter);
      found[counter.name + " of " + devices.at(counter.device).label].push_back(sample);
    }
    return found;
  }

  std::vector<std::string> issues() const {
    std::vector<std::string> found;
    for (const MeterIssue& issue : table.issues(0)) found.push_back(issue.what);
    return found;
  }

  MeterTable table;
  SampleRing ring{4096};

 private:
  testing::TemporaryFolder folder_;
  MeterSink sink_{table, ring};
};

/// What a rate was over its window: the growth that it stands for.
inline double growth_of(const MeterSample& sample) {
  return sample.value * static_cast<double>(sample.window_ns) * 1e-9;
}

}  // namespace tactus::meters

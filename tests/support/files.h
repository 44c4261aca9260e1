#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "run/run.h"

namespace tactus::testing {

/// A folder that goes away with the test.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return path_; }
  /// Writes a file into it and gives back its path.
  std::string write(const std::string& name, std::string_view bytes) const;
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

std::string read_file(const std::string& path);

/// A file of the shared data that is not part of the repository, if it is there; tests that need
/// it skip otherwise. TACTUS_SHARED names the folder, ../shared is tried without it.
std::optional<std::string> shared_file(const std::string& name);

}  // namespace tactus::testing

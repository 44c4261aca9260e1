#include "support/files.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "support/paths.h"

namespace tactus::testing {

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "tactus-test-XXXXXX").string();
  path_ = ::mkdtemp(name.data());
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::write(const std::string& name, std::string_view bytes) const {
  std::ofstream out(path_ / name, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return file(name);
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::optional<std::string> shared_file(const std::string& name) {
  const char* configured = std::getenv("TACTUS_SHARED");
  const std::filesystem::path folder = configured != nullptr
                                           ? std::filesystem::path(configured)
                                           : std::filesystem::path(TACTUS_ROOT) / ".." / "shared";
  const std::filesystem::path path = folder / name;
  if (!std::filesystem::exists(path)) return std::nullopt;
  return path.string();
}

}  // namespace tactus::testing

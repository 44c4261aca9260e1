#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "run/builder.h"
#include "sources/bytes/input_bytes.h"

namespace tactus::fuzz {

/// Bytes in memory as an input.
std::unique_ptr<InputBytes> memory_bytes(std::string_view bytes);

/// A file that lives as long as the object does, in memory (a name under /dev/shm, because SQLite
/// follows links and a memfd's leads nowhere).
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Uses a run as the commands do: kernel table, info, all exports, and the file and back.
void use(Run& run);

}  // namespace tactus::fuzz

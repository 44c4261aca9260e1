// Reading files that may be damaged: nothing outside of them is touched.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"

namespace tactus::record {

/// A piece of a file; empty if it is not all there.
inline std::string_view piece(std::string_view file, std::uint64_t offset, std::uint64_t size) {
  if (offset > file.size() || size > file.size() - offset) return {};
  return file.substr(offset, size);
}

template <class T>
std::optional<T> field_at(std::string_view file, std::uint64_t offset) {
  const std::string_view bytes = piece(file, offset, sizeof(T));
  if (bytes.size() != sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

/// A file in memory, as long as this lives.
struct MappedFile {
  const char* data = nullptr;
  std::size_t size = 0;

  explicit MappedFile(const std::string& path) {
    const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat status {};
    if (!file.is_open() || ::fstat(file.fd(), &status) != 0 || !S_ISREG(status.st_mode)) return;
    void* memory = ::mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE,
                          file.fd(), 0);
    if (memory == MAP_FAILED) return;
    data = static_cast<const char*>(memory);
    size = static_cast<std::size_t>(status.st_size);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() {
    if (data != nullptr) ::munmap(const_cast<char*>(data), size);
  }
};

}  // namespace tactus::record

#include "sources/bytes/spool.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <vector>

namespace tactus {
namespace {

constexpr std::size_t kPieceBytes = 1 << 20;

struct Spool {
  File file;
  std::string place;  ///< for messages
};

/// In the folder for temporary files, or in memory where that has no files without a name.
Result<Spool> open_spool(const InputBytes& bytes) {
  std::error_code error;
  std::string folder = std::filesystem::temp_directory_path(error).string();
  if (!error) {
    const int fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0) return Spool{File(fd), std::move(folder)};
  }
  const int fd = ::memfd_create("tactus", MFD_CLOEXEC);
  if (fd >= 0) return Spool{File(fd), "memory"};
  return broke_error(bytes.path() + ": cannot make a temporary copy: " + error_text(errno));
}

}  // namespace

Result<File> spool(InputBytes& bytes) {
  Result<Spool> spool = open_spool(bytes);
  if (!spool) return spool.error();
  std::vector<char> piece(kPieceBytes);
  for (;;) {
    const Result<std::size_t> got = bytes.read(piece.data(), piece.size());
    if (!got) return got.error();
    if (*got == 0) return std::move(spool->file);
    for (std::size_t at = 0; at < *got;) {
      const ssize_t put = ::write(spool->file.fd(), piece.data() + at, *got - at);
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) {
        return broke_error(bytes.path() + ": cannot make a temporary copy in " + spool->place +
                           ": " + error_text(errno) +
                           "; give an uncompressed file, or set TMPDIR to a folder with space");
      }
      at += static_cast<std::size_t>(put);
    }
  }
}

}  // namespace tactus

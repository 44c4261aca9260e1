#include "base/new_name.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace tactus {
namespace {

/// What file systems and older kernels say if they do not know a call.
bool is_unknown_here(int error) {
  return error == EINVAL || error == ENOSYS || error == ENOTSUP || error == EPERM ||
         error == EMLINK;
}

}  // namespace

int rename_to_new_name(const std::string& from, const std::string& to) {
  const int result = ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE);
  return result == 0 ? 0 : errno;
}

int link_to_new_name(const std::string& from, const std::string& to) {
  if (::link(from.c_str(), to.c_str()) != 0) return errno;
  return ::unlink(from.c_str()) == 0 ? 0 : errno;
}

int claim_new_name(const std::string& from, const std::string& to) {
  const int fd = ::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return errno;
  ::close(fd);
  if (::rename(from.c_str(), to.c_str()) == 0) return 0;
  const int error = errno;
  ::unlink(to.c_str());
  return error;
}

int move_to_new_name(const std::string& from, const std::string& to) {
  int error = rename_to_new_name(from, to);
  if (is_unknown_here(error)) error = link_to_new_name(from, to);
  if (is_unknown_here(error)) error = claim_new_name(from, to);
  return error;
}

}  // namespace tactus

#pragma once

#include <sys/types.h>

namespace tactus {

/// The first steps of a worker: it ends with its parent, writes no core file, reads nothing from
/// the user, its output goes to a private file, and it has no rights of a superuser. Only `socket`
/// stays open besides.
void settle_worker(pid_t parent, int output, int socket);

/// Leaves variables that a program needs to run, and those of the libraries that kernels use;
/// threads of such libraries must not spin after their work.
void clean_environment();

}  // namespace tactus

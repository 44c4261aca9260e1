#pragma once

namespace tactus {

/// If this process was started as a worker (WorkerProcess::start_anew), receives its task, serves
/// and ends. `main` calls it before anything else.
void serve_if_worker(int argc, char** argv);

}  // namespace tactus

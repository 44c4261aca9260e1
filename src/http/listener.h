#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>

#include "base/file.h"

namespace tactus::http {

/// Listens on a port and handles each connection on a thread of its own, up to a number of them.
class Listener {
 public:
  /// Called with the socket of a connection, which is closed when it returns.
  using Handler = std::function<void(int fd)>;

  ~Listener();

  /// Port 0: any that is free.
  Status bind(const std::string& host, int port);
  int port() const { return port_; }

  /// Takes connections until `stop`, and returns when all of them have ended.
  void run(const Handler& handler);
  /// Ends all connections. Calls may come from any thread.
  void stop();

 private:
  struct Worker {
    int fd = -1;
    std::atomic<bool> is_done = false;
    std::thread thread;
  };

  void remove_done();

  File socket_;
  int port_ = 0;
  std::atomic<bool> is_stopping_ = false;
  std::mutex mutex_;  ///< of the workers
  std::list<Worker> workers_;
};

}  // namespace tactus::http

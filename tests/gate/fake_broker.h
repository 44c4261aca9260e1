#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>

#include "wire/gate.h"

namespace tactus::testing {

/// A broker that writes what a test wants into the memory that it hands out.
class FakeBroker {
 public:
  struct Lies {
    std::function<void(wire::GateControl&)> change;  ///< of a control that holds class 0
    std::function<void(wire::GateWelcome&)> greet;   ///< of the answer
    std::size_t bytes = sizeof(wire::GateControl);   ///< of the control file
    bool is_sealed = true;
    bool answers = true;
  };

  FakeBroker(std::string address, Lies lies);
  FakeBroker(const FakeBroker&) = delete;
  FakeBroker& operator=(const FakeBroker&) = delete;
  ~FakeBroker();

  int joined() const { return joined_.load(); }

 private:
  void run();
  void answer(int connection);

  Lies lies_;
  int listener_ = -1;
  std::atomic<int> joined_ = 0;
  std::atomic<bool> is_ending_ = false;
  std::thread thread_;
};

}  // namespace tactus::testing

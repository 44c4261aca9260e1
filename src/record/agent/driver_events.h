// Events of the agent's own in streams of the program.
#pragma once

#include "record/agent/driver.h"

namespace tactus::agent {

/// While this lives, calls of this thread cannot spoil a capture that another thread has begun or
/// begins meanwhile.
class Harmless {
 public:
  Harmless() { exchange(); }
  ~Harmless() { exchange(); }
  Harmless(const Harmless&) = delete;
  Harmless& operator=(const Harmless&) = delete;

 private:
  static constexpr int kRelaxed = 2;  // CU_STREAM_CAPTURE_MODE_RELAXED

  void exchange() {
    const DriverCalls& calls = driver_calls();
    if (calls.exchange_capture_mode != nullptr) calls.exchange_capture_mode(&mode_);
  }

  int mode_ = kRelaxed;
};

inline int record_event(Handle event, Handle stream, bool per_thread) {
  const DriverCalls& calls = driver_calls();
  const auto record = per_thread ? calls.event_record_ptsz : calls.event_record;
  return record == nullptr ? kNotInitialized : record(event, stream);
}

}  // namespace tactus::agent

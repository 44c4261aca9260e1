#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <thread>

#include "base/file.h"
#include "record/meters/reader.h"

namespace tactus::meters {

/// What a sampling thread did and cost so far.
struct SamplerStats {
  std::string name;
  std::uint64_t turns = 0;    ///< times that it woke up and read what was due
  std::uint64_t skipped = 0;  ///< turns that were left out because the one before took too long
  std::uint64_t samples = 0;  ///< that reached the buffer
  std::uint64_t lost = 0;     ///< that found it full
  std::int64_t cpu_ns = 0;    ///< of the thread
  std::int64_t wall_ns = 0;   ///< since it began to sample
  double stretch = 1;         ///< the time between turns, over the one that was asked for
};

/// A thread that reads meters into a ring. It blocks all signals.
class Sampler {
 public:
  struct Options {
    std::string name;              ///< of the thread
    std::int64_t period_ns = 0;    ///< between turns
    double budget = 0;             ///< share of a core that it may use; 0: as it needs
    std::size_t ring_samples = 0;  ///< of the buffer
    /// Makes the readers, on the thread itself: finding GPUs takes time. None: the thread ends.
    std::function<MeterReaders(MeterTable&)> prepare;
  };

  Sampler(Options options, std::shared_ptr<MeterTable> table);
  ~Sampler();
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  /// Starts the thread; false if the system allows no more.
  bool start();
  /// Ends it. A thread that hangs in a driver for more than `patience_ns` is left behind: it keeps
  /// what it uses and touches nothing else. False then.
  bool stop(std::int64_t patience_ns);

  std::size_t drain(std::vector<MeterSample>& into) { return state_->ring.drain(into); }
  SamplerStats stats() const;

 private:
  struct State {
    State(Options given, std::shared_ptr<MeterTable> shared)
        : options(std::move(given)), table(std::move(shared)), ring(options.ring_samples) {}

    void run();
    void take_turn(MeterReaders& readers, std::vector<std::int64_t>& read_at, MeterSink& sink,
                   std::int64_t period_ns);
    void keep_budget();

    Options options;
    std::shared_ptr<MeterTable> table;
    SampleRing ring;
    File wake;  ///< an eventfd: written to end the thread
    File done;  ///< written by the thread when it ends
    std::atomic<std::uint64_t> turns = 0;
    std::atomic<std::uint64_t> skipped = 0;
    std::atomic<std::int64_t> cpu_ns = 0;
    std::atomic<std::int64_t> wall_ns = 0;
    std::atomic<double> stretch = 1;
    // Of the thread only.
    std::int64_t began_ns = 0;
    std::int64_t judged_wall_ns = 0;
    std::int64_t judged_cpu_ns = 0;
  };

  std::shared_ptr<State> state_;
  std::thread thread_;
};

}  // namespace tactus::meters

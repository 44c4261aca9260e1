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
  std::uint64_t skipped = 0;  ///< readings that were left out because those before took too long
  std::uint64_t samples = 0;  ///< that reached the buffer
  std::uint64_t lost = 0;     ///< that found it full
  std::int64_t cpu_ns = 0;    ///< of the thread
  std::int64_t wall_ns = 0;   ///< since it began to sample
};

/// A thread that reads meters into a ring, each as often as the budget allows. It blocks all
/// signals.
class Sampler {
 public:
  struct Options {
    std::string name;              ///< of the thread
    std::size_t ring_samples = 0;  ///< of the buffer
    /// Makes the readers, on the thread itself: finding GPUs takes time. None: the thread ends.
    std::function<MeterReaders(MeterTable&)> prepare;
  };

  Sampler(Options options, std::shared_ptr<MeterTable> table, std::shared_ptr<MeterBudget> budget);
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
    State(Options given, std::shared_ptr<MeterTable> shared, std::shared_ptr<MeterBudget> limit)
        : options(std::move(given)),
          table(std::move(shared)),
          budget(std::move(limit)),
          ring(options.ring_samples) {}

    /// A reader, its number in the budget, and when its last reading was due.
    struct Turn {
      MeterReader& reader;
      std::size_t number;
      std::int64_t due_ns;
      bool was_read;
    };

    void run();
    void take_turn(std::vector<Turn>& turns, MeterSink& sink);
    void read(Turn& turn, MeterSink& sink, std::int64_t now_ns);
    std::int64_t next_due_ns(const Turn& turn) const;

    Options options;
    std::shared_ptr<MeterTable> table;
    std::shared_ptr<MeterBudget> budget;
    SampleRing ring;
    File wake;  ///< an eventfd: written to end the thread
    File done;  ///< written by the thread when it ends
    std::atomic<std::uint64_t> turn_count = 0;
    std::atomic<std::uint64_t> skipped = 0;
    std::atomic<std::int64_t> cpu_ns = 0;
    std::atomic<std::int64_t> wall_ns = 0;
    std::int64_t began_ns = 0;  ///< of the thread only
  };

  std::shared_ptr<State> state_;
  std::thread thread_;
};

}  // namespace tactus::meters

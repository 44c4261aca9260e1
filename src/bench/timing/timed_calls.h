#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/timing/clocked_call.h"
#include "bench/timing/timing.h"

namespace tactus {

/// What is known about each timed call, in order.
struct TimedCalls {
  SampledRounds sampled;
  std::vector<bool> audited;             ///< per sample
  std::vector<double> others_before_ns;  ///< processor time of other threads when it began
  std::vector<double> others_after_ns;   ///< and when it ended
  bool other_threads = false;            ///< there were any
  std::vector<double> outside_ns;        ///< processor time of its request that is not of the call
  std::vector<double> helped_ns;         ///< processor time that other threads added to the call
  /// What requests without a call cost in a process that has no candidate, each made just after one
  /// of these (trial/control_worker.h). Empty if there is none.
  struct Beside {
    std::vector<double> outside_ns;
    std::vector<double> others_before_ns;
    std::vector<double> others_after_ns;
  } beside;
  // With a GPU:
  std::vector<double> tails_ns;  ///< see ClockedCall
  std::vector<bool> slowed;      ///< clocks were lowered
  std::uint64_t reasons = 0;     ///< why
  std::vector<double> sm_clocks_mhz;

  void add(const ClockedCall& call);
};

/// Whether to stop. Samples during lowered clocks count for the budget, but not as samples.
bool enough_calls(const StopRule& rule, const TimedCalls& calls, double seconds_spent);

/// Audited calls are chosen at random after they were made, so their times are like the others'.
/// Says what is odd if they are not: then the calls could be told apart.
std::string audited_stand_out(const TimedCalls& calls);

/// Says what is odd if threads of the candidate work after its calls have returned.
std::string work_after_return(const TimedCalls& calls);

/// Processor time that other threads have worked for the call, by the word of its process.
double said_help_ns(const ClockedCall& call);

/// What a request costs besides the call, in processor time of the worker as the system counts it
/// (`first_s` of the thread that makes the call, `all_s` of all). A call that takes t_ns cannot
/// have used more than that per thread, whatever its process says.
double outside_the_call_ns(const ClockedCall& call, double first_s, double all_s, double t_ns,
                           unsigned threads);

/// Says what is odd if requests cost more besides their calls than they did before any code of the
/// candidate was there (`empty_ns`), or than those beside them: then a part of the work is outside
/// the time.
std::string work_outside(const TimedCalls& calls, std::span<const double> empty_ns);

/// True if there are requests beside, and more of them could change what work_outside() says.
bool work_outside_is_doubtful(const TimedCalls& calls);

/// What calls of series cost, by the judge's own measure (trial/call_series.h). Processor time per
/// call, as the system counts it.
struct SeriesTimes {
  struct Cost {
    double first_ns = 0;  ///< of the thread that makes the calls
    double all_ns = 0;
    double noise_ns = 0;  ///< how much that differs if nothing is called
  };
  std::vector<Cost> series;
  unsigned threads = 1;  ///< that may work at the same time
};

/// Says what is odd if calls of series cost more than calls whose time the worker has taken: then
/// its clock, or what it does around the calls, is not ours any more.
std::string series_disagree(const TimedCalls& calls, const SeriesTimes& series);

/// The same for calls on a GPU: work that goes on after the end of a call (an empty one has a tail
/// too), and threads of the host that are busy.
std::string work_after_end(const TimedCalls& calls, double tail_of_nothing_ns);

/// Says what is odd if threads of the host were busy during so many seconds of calls on a GPU.
std::string busy_threads(const TimedCalls& calls, double seconds);

/// Times of requests by our own clock, with a call and without, that are alike otherwise.
struct RequestTimes {
  std::vector<double> with_ns;
  std::vector<double> without_ns;
};

/// Compares the time of calls with our own clock: how much longer a request with a call takes than
/// one without. Says what is odd if that is more than the worker's clock has measured, for all
/// kinds of requests.
std::string clocks_disagree(const TimedCalls& calls, std::span<const RequestTimes> kinds);

}  // namespace tactus

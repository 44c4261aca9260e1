#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tactus::testing {

/// What the clock of a host shows, and which part of the job its recording has.
struct HostRecording {
  double offset_us = 0;      ///< what its clock shows more than that of the first host
  double drift = 0;          ///< seconds that it gains per second
  int first_collective = 0;  ///< the recording begins before this one
  int missing_at_end = 0;    ///< and ends before the last ones
};

/// A job with one rank per host. Each layer of a step is two kernels, each with an all-reduce
/// behind it, which all ranks leave together.
struct HostJob {
  int layers = 4;
  int steps = 20;
  bool with_prefill = false;  ///< the first step is another one, and longer
  double straggler = 1;       ///< by this factor, the kernels of the last rank take longer
  double noise = 0.01;        ///< share of a kernel's time by which it differs from call to call
  double exit_us = 0.3;       ///< ranks leave a collective within this time
  unsigned seed = 1;
  std::vector<HostRecording> hosts = std::vector<HostRecording>(2);

  int collectives_per_step() const { return 2 * layers; }
  int collectives() const { return steps * collectives_per_step(); }
};

/// What one rank of the job did, by the clock of the first host [us].
struct RankDoings {
  struct Part {
    double kernel_us;  ///< start of the kernel
    double arrives_us;
    double leaves_us;
    double launched_us;
    double collective_launched_us;
  };
  struct Step {
    double begin_us;
    double end_us;
    bool is_prefill;
    std::vector<Part> parts;
  };
  std::vector<Step> steps;
};

std::vector<RankDoings> play(const HostJob& job);

/// What the clock of a host shows at a time.
double shown_us(const HostRecording& host, double time_us);

/// The ends of the collectives in a recording, by its own clock [ns].
std::vector<std::int64_t> recorded_ends(const HostJob& job, const RankDoings& rank,
                                        const HostRecording& host);

/// The trace of a rank as PyTorch writes it, by its own clock, without sequence numbers.
std::string recorded_trace(const HostJob& job, const RankDoings& rank, std::size_t number);

/// A job that is drawn by lot. Recordings begin and end with the same collectives, or each
/// elsewhere.
HostJob random_job(unsigned seed, bool same_part);

/// How many jobs to draw: as many as a fast test can, or what TACTUS_SEEDS says.
unsigned seeds(unsigned usual);

}  // namespace tactus::testing

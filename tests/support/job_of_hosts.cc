#include "support/job_of_hosts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>

namespace tactus::testing {
namespace {

constexpr double kStartUs = 20e6;  // so that no clock shows times below 0

/// Draws numbers that are the same everywhere; the distributions of the library are not.
class Lot {
 public:
  explicit Lot(unsigned seed) : engine_(seed) {}
  double unit() { return static_cast<double>(engine_()) / 4294967296.0; }
  double between(double low, double high) { return low + (high - low) * unit(); }
  int below(int count) { return static_cast<int>(unit() * count); }
  /// About normal, with spread 1.
  double normal() { return (unit() + unit() + unit() + unit() - 2) * std::sqrt(3.0); }
  /// Each power of 10 is as likely.
  double magnitude(double low, double high) {
    return std::exp(between(std::log(low), std::log(high)));
  }

 private:
  std::mt19937 engine_;
};

/// Which collective of the job is the first and which is behind the last of a recording.
struct Part {
  int begin;
  int end;
  bool has(int collective) const { return collective >= begin && collective < end; }
};

Part part_of(const HostJob& job, const HostRecording& host) {
  return {host.first_collective, job.collectives() - host.missing_at_end};
}

class Events {
 public:
  explicit Events(const HostRecording& host, std::size_t number)
      : host_(host), pid_(700 + number), device_(number) {}

  void range(std::string_view name, double begin_us, double end_us) {
    add("user_annotation", name, begin_us, end_us, pid_, 1, "");
  }
  void kernel(std::string_view name, double launched_us, double begin_us, double end_us,
              std::string_view more = {}) {
    ++correlation_;
    add("cuda_runtime", "cudaLaunchKernel", launched_us, launched_us + 1, pid_, 1,
        fmt::format(R"("correlation":{})", correlation_));
    add("kernel", name, begin_us, end_us, device_, 7,
        fmt::format(R"("device":{},"stream":7,"correlation":{}{})", device_, correlation_, more));
  }
  const std::string& text() const { return text_; }

 private:
  void add(std::string_view category, std::string_view name, double begin_us, double end_us,
           std::size_t pid, int tid, const std::string& args) {
    const double begin = shown_us(host_, begin_us);
    if (!text_.empty()) text_ += ",\n";
    text_ += fmt::format(
        R"({{"ph":"X","cat":"{}","name":"{}","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f},"args":{{{}}}}})",
        category, name, pid, tid, begin, shown_us(host_, end_us) - begin, args);
  }

  const HostRecording& host_;
  std::size_t pid_;
  std::size_t device_;
  int correlation_ = 0;
  std::string text_;
};

}  // namespace

std::vector<RankDoings> play(const HostJob& job) {
  Lot lot(job.seed);
  const std::size_t ranks = job.hosts.size();
  std::vector<RankDoings> all(ranks);
  const double kernels_us[2] = {lot.between(10, 60), lot.between(20, 100)};
  const double moves_us = lot.between(5, 20);
  const double pause_us = lot.between(50, 300);
  double together_us = kStartUs;  // all left the last collective
  for (int step = 0; step < job.steps; ++step) {
    const bool is_prefill = job.with_prefill && step == 0;
    together_us += pause_us * (1 + job.noise * lot.normal());
    for (RankDoings& rank : all) rank.steps.push_back({together_us, 0, is_prefill, {}});
    for (int part = 0; part < job.collectives_per_step(); ++part) {
      double last_us = 0;
      for (std::size_t i = 0; i < ranks; ++i) {
        const double slower = i + 1 == ranks ? job.straggler : 1;
        const double takes_us =
            kernels_us[part % 2] * (is_prefill ? 5 : 1) * slower * (1 + job.noise * lot.normal());
        const double begin_us = together_us + 1;
        RankDoings::Step& mine = all[i].steps.back();
        mine.parts.push_back({begin_us, begin_us + takes_us, 0, begin_us - 3, begin_us - 1.5});
        last_us = std::max(last_us, begin_us + takes_us);
      }
      together_us = last_us + moves_us * (is_prefill ? 5 : 1);
      double latest_us = together_us;
      for (RankDoings& rank : all) {
        double& leaves_us = rank.steps.back().parts.back().leaves_us;
        leaves_us = together_us + job.exit_us * lot.unit();
        latest_us = std::max(latest_us, leaves_us);
      }
      together_us = latest_us;
    }
    for (RankDoings& rank : all) rank.steps.back().end_us = together_us + 1;
    together_us += 2;
  }
  return all;
}

double shown_us(const HostRecording& host, double time_us) {
  return time_us + host.offset_us + host.drift * (time_us - kStartUs);
}

std::vector<std::int64_t> recorded_ends(const HostJob& job, const RankDoings& rank,
                                        const HostRecording& host) {
  std::vector<std::int64_t> ends;
  const Part recorded = part_of(job, host);
  int collective = 0;
  for (const RankDoings::Step& step : rank.steps) {
    for (const RankDoings::Part& part : step.parts) {
      if (recorded.has(collective++)) {
        ends.push_back(std::llround(shown_us(host, part.leaves_us) * 1000));
      }
    }
  }
  return ends;
}

std::string recorded_trace(const HostJob& job, const RankDoings& rank, std::size_t number) {
  const HostRecording& host = job.hosts[number];
  const Part recorded = part_of(job, host);
  Events events(host, number);
  int collective = 0;
  for (const RankDoings::Step& step : rank.steps) {
    const int behind = collective + job.collectives_per_step();
    // A range that began before the recording is not in it.
    if (collective >= recorded.begin && behind <= recorded.end) {
      events.range(step.is_prefill ? "execute_context_1(512)_generation_0(0)"
                                   : "execute_context_0(0)_generation_8(8)",
                   step.begin_us - 5, step.end_us);
    }
    for (const RankDoings::Part& part : step.parts) {
      if (!recorded.has(collective++)) continue;
      events.kernel(collective % 2 == 1 ? "attention_kernel" : "gemm_kernel", part.launched_us,
                    part.kernel_us, part.arrives_us);
      events.kernel("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                    part.collective_launched_us, part.arrives_us, part.leaves_us,
                    fmt::format(R"(,"In msg nelems":32768,"dtype":"BFloat16","Group size":{},)"
                                R"("Process Group Name":"0")",
                                job.hosts.size()));
    }
  }
  return fmt::format(R"({{"distributedInfo":{{"rank":{},"world_size":{}}},"hostname":"host-{}",)"
                     R"("baseTimeNanoseconds":1790857026000000000,"traceEvents":[{}]}})",
                     number, job.hosts.size(), number, events.text());
}

HostJob random_job(unsigned seed, bool same_part) {
  Lot lot(seed * 7919 + 1);
  HostJob job;
  job.seed = seed;
  const int layers[] = {1, 2, 4, 8, 16, 32, 80};
  job.layers = layers[lot.below(7)];
  job.steps = 5 + lot.below(job.layers > 16 ? 15 : 100);
  job.with_prefill = lot.below(2) == 0;
  const double factors[] = {1, 1.05, 1.2, 1.5, 2, 4};
  job.straggler = factors[lot.below(6)];
  const double noises[] = {0, 0.001, 0.01, 0.05};
  job.noise = noises[lot.below(4)];
  job.exit_us = lot.magnitude(0.02, 2);
  job.hosts.resize(static_cast<std::size_t>(2 + lot.below(3)));
  for (std::size_t i = 1; i < job.hosts.size(); ++i) {
    HostRecording& host = job.hosts[i];
    host.offset_us = lot.magnitude(10, 10e6) * (lot.below(2) == 0 ? -1 : 1);
    host.drift = lot.between(-50e-6, 50e-6);
  }
  if (same_part) return job;
  for (HostRecording& host : job.hosts) {
    host.first_collective = lot.below(job.collectives() / 4);
    host.missing_at_end = lot.below(job.collectives() / 4);
  }
  return job;
}

unsigned seeds(unsigned usual) {
  const char* asked = std::getenv("TACTUS_SEEDS");
  return asked == nullptr ? usual : static_cast<unsigned>(std::atoi(asked));
}

}  // namespace tactus::testing

#include "bench/timing/timed_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "bench/device/gpu_clocks.h"
#include "bench/timing/ticks.h"
#include "stats/tests.h"

namespace tactus {

void TimedCalls::add(const ClockedCall& call) {
  const auto ticks = static_cast<double>(call.end_ticks - call.begin_ticks);
  const double t_ns = call.device_ns > 0 ? call.device_ns : ticks / ticks_per_ns();
  sampled.add_to_round(std::span(&t_ns, 1));
  audited.push_back(false);
  others_before_ns.push_back(call.others_before_s * 1e9);
  others_after_ns.push_back(call.others_after_s * 1e9);
  other_threads = other_threads || call.other_threads > 0;
  tails_ns.push_back(call.tail_ns);
  slowed.push_back(clocks_lowered(call.reasons));
  if (slowed.back()) reasons |= call.reasons;
  if (call.sm_mhz > 0) sm_clocks_mhz.push_back(call.sm_mhz);
}

bool enough_calls(const StopRule& rule, const TimedCalls& calls, double seconds_spent) {
  if (calls.reasons == 0) return enough(rule, calls.sampled, seconds_spent);
  const bool no_more = seconds_spent > rule.seconds ||
                       calls.sampled.samples_ns.size() >= static_cast<std::size_t>(rule.at_most);
  if (no_more && enough(rule, calls.sampled, seconds_spent)) return true;
  const Sieved sieved = without_slowed(calls.sampled, calls.slowed);
  return sieved.dropped > 0 && enough(rule, sieved.kept, seconds_spent);
}

namespace {

/// How likely it is that audited calls differ so much from the others of their rounds by chance:
/// van Elteren's test. A round that something disturbs is slow as a whole and has few calls, so
/// that its audited one counts for much; so calls of different rounds are not compared.
double chance_within_rounds(const TimedCalls& calls) {
  double sum = 0;
  double variance = 0;
  std::size_t first = 0;
  for (const std::int64_t size : calls.sampled.rounds) {
    const std::size_t end =
        std::min(first + static_cast<std::size_t>(size), calls.sampled.samples_ns.size());
    std::vector<double> audited;
    std::vector<double> others;
    for (; first < end; ++first) {
      const bool is_audited = first < calls.audited.size() && calls.audited[first];
      (is_audited ? audited : others).push_back(calls.sampled.samples_ns[first]);
    }
    if (audited.empty() || others.empty()) continue;
    const auto m = static_cast<double>(audited.size());
    const auto n = static_cast<double>(others.size());
    // Cliff's delta is the rank sum without its mean, over m n / 2.
    sum += cliffs_delta(others, audited) * m * n / 2 / (m + n + 1);
    variance += m * n / (12 * (m + n + 1));
  }
  return variance > 0 ? std::erfc(std::abs(sum) / std::sqrt(2 * variance)) : 1;
}

}  // namespace

std::string audited_stand_out(const TimedCalls& calls) {
  constexpr std::size_t kFewest = 6;
  constexpr double kChance = 1e-6;  // one run in a million
  constexpr double kApart = 1.1;
  std::vector<double> audited;
  std::vector<double> others;
  for (std::size_t i = 0; i < calls.sampled.samples_ns.size(); ++i) {
    const bool is_audited = i < calls.audited.size() && calls.audited[i];
    (is_audited ? audited : others).push_back(calls.sampled.samples_ns[i]);
  }
  if (audited.size() < kFewest || others.size() < kFewest) return {};
  const double a = median_interval(audited).median;
  const double b = median_interval(others).median;
  if (std::max(a, b) < kApart * std::min(a, b)) return {};
  if (chance_within_rounds(calls) > kChance) return {};
  return fmt::format(
      "the calls that were audited took {:.3g} us, all others {:.3g} us: it tells them apart",
      a / 1e3, b / 1e3);
}

namespace {

/// The median of what other threads have worked between calls; nothing if there was one call.
std::optional<double> usual_gap(std::span<const double> before_ns,
                                std::span<const double> after_ns) {
  std::vector<double> gaps;
  for (std::size_t i = 1; i < before_ns.size(); ++i) {
    gaps.push_back(before_ns[i] - after_ns[i - 1]);
  }
  if (gaps.empty()) return std::nullopt;
  return median_interval(gaps).median;
}

}  // namespace

std::string work_after_return(const TimedCalls& calls) {
  // Clocks of threads are not read all at once, which shows more if there seem to be none.
  const double reading_ns = calls.other_threads ? 5000 : 25000;
  const double share = calls.other_threads ? 0.05 : 0.1;  // of the time of a call
  const std::optional<double> gap = usual_gap(calls.others_before_ns, calls.others_after_ns);
  if (!gap) return {};
  const double call = median_interval(calls.sampled.samples_ns).median;
  const double of_nobody = std::max(
      usual_gap(calls.beside.others_before_ns, calls.beside.others_after_ns).value_or(0), 0.0);
  if (*gap - of_nobody <= std::max(reading_ns, share * call)) return {};
  return fmt::format(
      "its threads work on for {:.3g} us after `run` has returned: all work must be done by then",
      *gap / 1e3);
}

double said_help_ns(const ClockedCall& call) {
  return (call.all_cpu_s - call.caller_cpu_s) * 1e9;
}

double outside_the_call_ns(const ClockedCall& call, double first_s, double all_s, double t_ns,
                           unsigned threads) {
  const double caller_ns = std::clamp(call.caller_cpu_s * 1e9, 0.0, t_ns);
  const double rest_ns =
      std::clamp(said_help_ns(call), 0.0, t_ns * static_cast<double>(threads - 1));
  return std::max(first_s * 1e9 - caller_ns, 0.0) +
         std::max((all_s - first_s) * 1e9 - rest_ns, 0.0);
}

namespace {

constexpr double kColdCaches = 32768 * 8;  // [ns] to read so many lines of a second-level cache
constexpr double kShareOutside = 0.1;      // of the time of a call

/// What others do to the memory of a machine makes some requests dearer, whatever their calls took.
/// Calls that hide nothing would take longer than those that hide work.
bool is_noise(const TimedCalls& calls, std::span<const double> excess_ns, double limit) {
  constexpr double kLonger = 1.1;
  std::vector<double> honest;
  for (std::size_t i = 0; i < excess_ns.size(); ++i) {
    if (excess_ns[i] <= limit) honest.push_back(calls.sampled.samples_ns[i]);
  }
  if (honest.size() < 3 || 4 * honest.size() < excess_ns.size()) return false;
  return median_interval(honest).median <=
         kLonger * median_interval(calls.sampled.samples_ns).median;
}

/// What a request may differ from empty ones. One of those may have been disturbed, but without it
/// three would have no range. Each may find that others have used the caches.
double usual_noise(std::span<const double> empty_ns, double empty) {
  std::vector<double> sorted(empty_ns.begin(), empty_ns.end());
  std::sort(sorted.begin(), sorted.end());
  const double most = sorted[sorted.size() > 3 ? sorted.size() - 2 : sorted.size() - 1];
  return std::max(2 * (most - empty), kColdCaches);
}

}  // namespace

namespace {

/// What requests cost more than they may.
struct Excess {
  std::vector<double> each_ns;  ///< by request, than one without a call
  MedianInterval seen;
  double limit_ns = 0;
};

/// Requests that were made at another time tell how much they may differ. Those just beside are
/// disturbed by the same things, so that only their differences count.
std::optional<Excess> excess_of(const TimedCalls& calls, std::span<const double> empty_ns) {
  const std::vector<double>& beside = calls.beside.outside_ns;
  const bool is_paired = !beside.empty() && beside.size() == calls.outside_ns.size();
  if (calls.outside_ns.empty() || (empty_ns.empty() && !is_paired)) return std::nullopt;
  const double empty = is_paired ? 0 : median_interval({empty_ns.begin(), empty_ns.end()}).median;
  Excess excess;
  for (std::size_t i = 0; i < calls.outside_ns.size(); ++i) {
    excess.each_ns.push_back(calls.outside_ns[i] - (is_paired ? beside[i] : empty));
  }
  excess.seen = median_interval(excess.each_ns);
  excess.limit_ns = (is_paired ? kColdCaches : usual_noise(empty_ns, empty)) +
                    kShareOutside * median_interval(calls.sampled.samples_ns).median;
  return excess;
}

}  // namespace

std::string work_outside(const TimedCalls& calls, std::span<const double> empty_ns) {
  const std::optional<Excess> excess = excess_of(calls, empty_ns);
  if (!excess || excess->seen.median <= excess->limit_ns) return {};
  if (is_noise(calls, excess->each_ns, excess->limit_ns)) return {};
  return fmt::format(
      "it works for {:.3g} us of processor time outside of the timed call: all work must be in "
      "`run`",
      excess->seen.median / 1e3);
}

bool work_outside_is_doubtful(const TimedCalls& calls) {
  const std::optional<Excess> excess = excess_of(calls, {});
  return excess && excess->seen.low <= excess->limit_ns && excess->limit_ns < excess->seen.high;
}

std::string series_disagree(const TimedCalls& calls, const SeriesTimes& times) {
  constexpr double kShare = 0.25;  // what is allowed outside of calls of 1 ms
  if (times.series.empty()) return {};
  const double said = median_interval(calls.sampled.samples_ns).median;
  const double helped = calls.helped_ns.empty() ? 0 : median_interval(calls.helped_ns).median;
  const auto fits = [](double seen_ns, double said_ns) {
    return seen_ns <= (1 + kShare) * said_ns;
  };
  // All calls of a series are judged, so none can cost less than its work; others on the machine
  // only make it more. They also decide how threads share the work: either all of it is what it was
  // in single calls, or no thread has more than fits into the time.
  const double others = times.threads - 1;
  double seen = std::numeric_limits<double>::infinity();
  for (const SeriesTimes::Cost& cost : times.series) {
    const double rest = cost.all_ns - cost.first_ns;
    if (fits(cost.all_ns - cost.noise_ns, said + helped)) return {};
    if (fits(cost.first_ns - cost.noise_ns, said) && fits(rest - cost.noise_ns, said * others)) {
      return {};
    }
    seen = std::min(seen, cost.all_ns);
  }
  return fmt::format(
      "calls take {:.3g} us of processor time by the clock of its process, {:.3g} us if the judge "
      "times many at once",
      (said + helped) / 1e3, seen / 1e3);
}

std::string work_after_end(const TimedCalls& calls, double tail_of_nothing_ns) {
  constexpr double kNoise = 5000;  // [ns]; the end of a graph is seen within a few microseconds
  constexpr double kShare = 0.05;
  const double call = median_interval(calls.sampled.samples_ns).median;
  const double tail = median_interval(calls.tails_ns).median - tail_of_nothing_ns;
  if (tail > std::max(kNoise, kShare * call)) {
    return fmt::format("the GPU works on for {:.3g} us after the end of its work", tail / 1e3);
  }
  return {};
}

std::string busy_threads(const TimedCalls& calls, double seconds) {
  constexpr double kShare = 0.25;  // the driver's own threads sleep
  if (calls.others_before_ns.empty() || seconds <= 0) return {};
  const double busy_s = (calls.others_after_ns.back() - calls.others_before_ns.front()) * 1e-9;
  if (busy_s <= kShare * seconds) return {};
  return fmt::format(
      "threads of its process were busy for {:.2g} of {:.2g} s of timed calls: all "
      "work must be in the stream that it is given",
      busy_s, seconds);
}

std::string clocks_disagree(const TimedCalls& calls, std::span<const RequestTimes> kinds) {
  constexpr double kNoise = 50000;  // [ns]; of requests between processes
  constexpr double kFactor = 1.5;
  // Other work on the machine makes requests longer, never shorter.
  const auto shortest = [](const std::vector<double>& times) {
    return *std::min_element(times.begin(), times.end());
  };
  double seen = std::numeric_limits<double>::infinity();
  double spread = 0;  // of requests that are alike
  for (const RequestTimes& kind : kinds) {
    if (kind.with_ns.empty() || kind.without_ns.empty()) continue;
    const double least = shortest(kind.without_ns);
    seen = std::min(seen, shortest(kind.with_ns) - least);
    spread = std::max(spread, median_interval(kind.without_ns).median - least);
  }
  if (std::isinf(seen)) return {};
  const double said = median_interval(calls.sampled.samples_ns).median;
  if (seen <= kFactor * said + kNoise + 2 * spread) return {};
  return fmt::format("calls take {:.3g} us by the clock of its process, {:.3g} us by ours",
                     said / 1e3, seen / 1e3);
}

}  // namespace tactus

#include "gate/replay/kernel_spans.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace tactus::gate {

Intervals::Intervals(std::vector<One> of) {
  std::sort(of.begin(), of.end());
  for (const One& one : of) {
    if (one.second <= one.first) continue;
    if (!all_.empty() && one.first <= all_.back().second) {
      all_.back().second = std::max(all_.back().second, one.second);
    } else {
      all_.push_back(one);
    }
  }
  std::int64_t before = 0;
  for (const One& one : all_) {
    before_.push_back(before);
    before += one.second - one.first;
  }
}

std::int64_t Intervals::overlap(std::int64_t begin, std::int64_t end) const {
  const auto until = [&](std::int64_t at) -> std::int64_t {
    const auto behind = std::upper_bound(all_.begin(), all_.end(), One{at, INT64_MAX});
    if (behind == all_.begin()) return 0;
    const auto i = static_cast<std::size_t>(behind - all_.begin() - 1);
    return before_[i] + std::min(at, all_[i].second) - all_[i].first;
  };
  return begin < end ? until(end) - until(begin) : 0;
}

std::int64_t Intervals::end_of(std::int64_t at) const {
  const auto behind = std::upper_bound(all_.begin(), all_.end(), One{at, INT64_MAX});
  return behind == all_.begin() ? at : std::max(at, std::prev(behind)->second);
}

Intervals Intervals::common(const Intervals& other) const {
  std::vector<One> out;
  auto b = other.all_.begin();
  for (const One& a : all_) {
    while (b != other.all_.end() && b->second <= a.first) ++b;
    for (auto each = b; each != other.all_.end() && each->first < a.second; ++each) {
      out.emplace_back(std::max(a.first, each->first), std::min(a.second, each->second));
    }
  }
  return Intervals(std::move(out));
}

std::vector<KernelSpan> kernel_spans(const LaunchTrace& trace) {
  std::vector<KernelSpan> spans;
  // Units are alike if they have as many launches and kernels.
  std::map<std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>, std::size_t> places;
  for (std::size_t t = 0; t < trace.threads.size(); ++t) {
    const TracedThread& thread = trace.threads[t];
    std::size_t unit_begin = spans.size();
    std::size_t launches = 0;
    const auto end_unit = [&] {
      const std::size_t kernels = spans.size() - unit_begin;
      for (std::size_t i = 0; i < kernels; ++i) {
        const auto key = std::tuple(t, launches, kernels, i);
        spans[unit_begin + i].place = places.try_emplace(key, places.size()).first->second;
      }
      unit_begin = spans.size();
      launches = 0;
    };
    for (const ThreadStep& step : thread.steps) {
      if (step.kind == ThreadStep::kWait) {
        end_unit();
        continue;
      }
      const TracedLaunch& launch = trace.launches[step.launch];
      ++launches;
      for (std::size_t k = launch.first_kernel; k < launch.first_kernel + launch.kernels; ++k) {
        const TracedKernel& kernel = trace.kernels[k];
        spans.push_back({.kernel = k,
                         .process = thread.process,
                         .stream = launch.stream,
                         .place = 0,
                         .launch_ns = launch.end_ns,
                         .ready_ns = launch.end_ns,
                         .start_ns = kernel.start_ns,
                         .end_ns = kernel.start_ns + kernel.dur_ns});
      }
    }
    end_unit();
  }
  std::stable_sort(spans.begin(), spans.end(), [](const KernelSpan& a, const KernelSpan& b) {
    return std::tie(a.process, a.stream, a.start_ns) < std::tie(b.process, b.stream, b.start_ns);
  });
  std::int64_t done_ns = 0;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    KernelSpan& span = spans[i];
    const bool is_first =
        i == 0 || spans[i - 1].process != span.process || spans[i - 1].stream != span.stream;
    if (is_first) done_ns = INT64_MIN;
    span.ready_ns = std::min(std::max(span.ready_ns, done_ns), span.start_ns);
    done_ns = std::max(done_ns, span.end_ns);
  }
  return spans;
}

}  // namespace tactus::gate

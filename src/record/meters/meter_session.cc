#include "record/meters/meter_session.h"

#include <fmt/format.h>

#include <algorithm>

#include "record/meters/gpu/gpu_meters.h"
#include "record/meters/host/host_meters.h"

namespace tactus::meters {

Result<std::unique_ptr<MeterSession>> MeterSession::start(MeterOptions options) {
  if (!(options.hz >= 1 && options.hz <= 100)) {
    return usage_error(
        fmt::format("meters can be read 1 to 100 times per second, not {}", options.hz));
  }
  if (!(options.budget >= 0 && options.budget <= 1)) {
    return usage_error(
        fmt::format("the budget of meters is a share of a core, 0 to 1, not {}", options.budget));
  }
  for (const std::int64_t pid : options.pids) {
    if (pid <= 0 || pid > INT32_MAX) return usage_error(fmt::format("{} is not a process id", pid));
  }
  constexpr std::size_t kMost = std::size_t{1} << 24;
  options.buffer_samples = std::clamp<std::size_t>(options.buffer_samples, 2, kMost);
  std::unique_ptr<MeterSession> session(new MeterSession(std::move(options)));
  if (Status started = session->start_threads(); !started) return started.error();
  return session;
}

MeterSession::MeterSession(MeterOptions options)
    : options_(std::move(options)),
      table_(std::make_shared<MeterTable>()),
      own_(std::make_shared<OwnProcesses>(Root{options_.root}, options_.pids)),
      budget_(std::make_shared<MeterBudget>(options_.budget,
                                            static_cast<std::int64_t>(1e9 / options_.hz))) {}

MeterSession::~MeterSession() {
  stop();
}

Status MeterSession::start_threads() {
  const Root root{options_.root};
  const auto add = [&](const char* name, auto prepare) {
    samplers_.push_back(std::make_unique<Sampler>(
        Sampler::Options{
            .name = name, .ring_samples = options_.buffer_samples, .prepare = std::move(prepare)},
        table_, budget_));
  };
  add("meters-host", [root, own = own_](MeterTable&) { return host_readers(root, own); });
  if (options_.gpu) {
    const auto gpus = std::make_shared<GpuMeters>(options_.nvml);
    add("meters-gpu", [gpus](MeterTable& table) { return gpus->quick_readers(table); });
    add("meters-activity", [gpus, root, own = own_](MeterTable& table) {
      return gpus->activity_readers(root, own, table);
    });
    add("meters-pcie", [gpus](MeterTable& table) { return gpus->slow_pcie_readers(table); });
  }
  for (const std::unique_ptr<Sampler>& sampler : samplers_) {
    if (!sampler->start()) return broke_error("cannot start a thread for the meters");
  }
  return {};
}

void MeterSession::drain(std::vector<MeterSample>& into) {
  for (const std::unique_ptr<Sampler>& sampler : samplers_) sampler->drain(into);
}

std::vector<SamplerStats> MeterSession::stats() const {
  std::vector<SamplerStats> all;
  for (const std::unique_ptr<Sampler>& sampler : samplers_) all.push_back(sampler->stats());
  return all;
}

std::vector<MeterRate> MeterSession::rates() const {
  return budget_->rates(stopped_ns_ != 0 ? stopped_ns_ : steady_ns());
}

void MeterSession::stop() {
  if (stopped_ns_ == 0) stopped_ns_ = steady_ns();
  constexpr std::int64_t kPatience = 2'000 * kMillisecond;
  for (const std::unique_ptr<Sampler>& sampler : samplers_) {
    if (sampler->stop(kPatience)) continue;
    table_->report({.what = sampler->stats().name,
                    .reason = "does not return from a call to the driver",
                    .fix = "look at dmesg for errors of the GPU (Xid)"});
  }
}

}  // namespace tactus::meters

#include <fmt/format.h>

#include <array>

#include "record/meters/gpu/gpu_meters.h"

namespace tactus::meters {
namespace {

constexpr double kPercent = 0.01;
constexpr double kMebi = 1024 * 1024;

/// A metric of GPM and the counter that it becomes.
struct GpmMetric {
  unsigned id;
  const char* counter;
  double scale;
};
constexpr std::array<GpmMetric, 9> kMetrics = {{
    {2, "gpu_sm_util", kPercent},
    {3, "gpu_sm_occupancy", kPercent},
    {5, "gpu_tensor_util", kPercent},
    {10, "gpu_dram_util", kPercent},
    {20, "gpu_pcie_transmit", kMebi},
    {21, "gpu_pcie_receive", kMebi},
    {60, "gpu_link_receive", kMebi},
    {61, "gpu_link_transmit", kMebi},
    {174, "gpu_ctxsw_active", 1},
}};

/// NVML asks for that time between samples: it has no new numbers before.
constexpr std::int64_t kApart = 100 * kMillisecond;

/// The two samples between which NVML takes the difference.
class GpmMeter : public MeterReader {
 public:
  GpmMeter(std::shared_ptr<Gpu> gpu, void* first, void* second)
      : MeterReader(
            {.name = "gpu activity", .device = gpu->label, .least_ns = kApart + 5 * kMillisecond}),
        gpu_(std::move(gpu)),
        before_(first),
        after_(second),
        request_(std::make_unique<NvmlGpmMetrics>()) {
    for (const GpmMetric& metric : kMetrics) {
      counters_.emplace_back(metric.counter, MeterScope::kAll, gpu_->label);
    }
  }
  ~GpmMeter() override {
    gpu_->nvml->gpm_free(before_);
    gpu_->nvml->gpm_free(after_);
  }

  void read(MeterSink& sink) override {
    if (time_.raw_ns != 0 && meter_time().raw_ns - time_.raw_ns < kApart) return;
    if (!sample_call_(*gpu_, sink.table(), gpu_->nvml->gpm_sample, after_)) {
      gpu_->has_gpm_pcie = gpu_->has_gpm_links = false;
      return;
    }
    const MeterTime time = meter_time();
    const std::int64_t window_ns = time_.raw_ns == 0 ? 0 : time.raw_ns - time_.raw_ns;
    time_ = time;
    std::swap(before_, after_);
    if (window_ns == 0) return;
    // Now `after_` is the older one.
    NvmlGpmMetrics& request = *request_;
    request = {.version = 1, .count = 0, .first = after_, .second = before_, .metrics = {}};
    std::array<std::size_t, kMetrics.size()> asked{};
    for (std::size_t i = 0; i < kMetrics.size(); ++i) {
      if (!is_off_[i]) {
        asked[request.count] = i;
        request.metrics[request.count++].id = kMetrics[i].id;
      }
    }
    if (request.count == 0) return;
    if (!gpu_->good(gpu_->nvml->gpm_metrics(&request), "activity (GPM)", sink.table())) return;
    for (std::size_t i = 0; i < request.count; ++i)
      add(sink, asked[i], request.metrics[i], window_ns);
    gpu_->has_gpm_pcie = !is_off_[4] && !is_off_[5];
    gpu_->has_gpm_links = !is_off_[6] && !is_off_[7];
  }

 private:
  void add(MeterSink& sink, std::size_t which, const NvmlGpmMetric& metric,
           std::int64_t window_ns) {
    if (metric.status == kNvmlSuccess) {
      if (metric.value >= 0) {
        sink.over(time_, window_ns, counters_[which], metric.value * kMetrics[which].scale);
      }
      return;
    }
    is_off_[which] = metric.status == kNvmlNotSupported || metric.status == kNvmlInvalidArgument;
    gpu_->good(metric.status, kMetrics[which].counter, sink.table());
  }

  std::shared_ptr<Gpu> gpu_;
  GpuCall sample_call_{"activity (GPM)"};
  void* before_;
  void* after_;
  MeterTime time_;
  std::unique_ptr<NvmlGpmMetrics> request_;
  std::array<bool, kMetrics.size()> is_off_{};
  std::vector<Counter> counters_;
};

}  // namespace

std::unique_ptr<MeterReader> gpm_meter(std::shared_ptr<Gpu> gpu, MeterTable& table) {
  const Nvml& nvml = *gpu->nvml;
  if (nvml.gpm_alloc == nullptr || nvml.gpm_free == nullptr || nvml.gpm_sample == nullptr ||
      nvml.gpm_metrics == nullptr) {
    return nullptr;
  }
  void* first = nullptr;
  void* second = nullptr;
  if (!gpu->good(nvml.gpm_alloc(&first), "activity (GPM)", table)) return nullptr;
  if (!gpu->good(nvml.gpm_alloc(&second), "activity (GPM)", table)) {
    nvml.gpm_free(first);
    return nullptr;
  }
  gpu->has_gpm_pcie = gpu->has_gpm_links = true;  // until a metric turns out to be missing
  return std::make_unique<GpmMeter>(std::move(gpu), first, second);
}

}  // namespace tactus::meters

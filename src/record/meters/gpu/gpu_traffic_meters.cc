#include <array>

#include "record/meters/gpu/gpu_fields.h"

namespace tactus::meters {
namespace {

constexpr double kKibi = 1024;

/// Totals of fields, which come in one call, each with its own status. What GPM gives already is
/// not asked for: a driver takes its time for each field.
class GpuTrafficMeter : public MeterReader {
 public:
  explicit GpuTrafficMeter(std::shared_ptr<Gpu> gpu)
      : MeterReader({.name = "gpu traffic", .device = gpu->label}), gpu_(std::move(gpu)) {}

  void read(MeterSink& sink) override {
    std::array<NvmlField, kTotals> fields{};
    std::array<Total*, kTotals> asked{};
    int count = 0;
    for (Total& total : totals_) {
      if (total.is_off || is_given_by_gpm(total)) continue;
      fields[static_cast<std::size_t>(count)] = asked_field(total.field, total.scope);
      asked[static_cast<std::size_t>(count++)] = &total;
    }
    if (count == 0) return;
    if (!call_(*gpu_, sink.table(), gpu_->nvml->fields, count, fields.data())) return;
    const MeterTime time = meter_time();
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      asked[i]->is_off = fields[i].status == kNvmlNotSupported;
      sink.rate(time, asked[i]->growth, field_total(fields[i]), asked[i]->counter, asked[i]->scale);
    }
  }

 private:
  enum class From : std::uint8_t { kFieldsOnly, kPcie, kLinks };
  struct Total {
    unsigned field;
    unsigned scope;
    double scale;
    From from;
    Counter counter;
    Growth growth = {};
    bool is_off = false;
  };
  static constexpr std::size_t kTotals = 5;

  bool is_given_by_gpm(const Total& total) const {
    return (total.from == From::kPcie && gpu_->has_gpm_pcie) ||
           (total.from == From::kLinks && gpu_->has_gpm_links);
  }

  std::shared_ptr<Gpu> gpu_;
  GpuCall call_{"traffic"};
  std::array<Total, kTotals> totals_ = {{
      {kFieldPcieReplays, 0, 1, From::kFieldsOnly, gpu_->counter("gpu_pcie_replays")},
      {kFieldPcieSent, 0, 1, From::kPcie, gpu_->counter("gpu_pcie_transmit")},
      {kFieldPcieReceived, 0, 1, From::kPcie, gpu_->counter("gpu_pcie_receive")},
      {kFieldLinkSent, kAllLinks, kKibi, From::kLinks, gpu_->counter("gpu_link_transmit")},
      {kFieldLinkReceived, kAllLinks, kKibi, From::kLinks, gpu_->counter("gpu_link_receive")},
  }};
};

/// Watches the link for 20 ms per direction, so it is read twice per second on its own thread.
class SlowPcieMeter : public MeterReader {
 public:
  explicit SlowPcieMeter(std::shared_ptr<Gpu> gpu)
      : MeterReader({.name = "gpu pcie (slow)",
                     .device = gpu->label,
                     .least_ns = 500 * kMillisecond,
                     .use = Usefulness::kBackground}),
        gpu_(std::move(gpu)) {}

  void read(MeterSink& sink) override {
    constexpr std::int64_t kWindow = 20 * kMillisecond;
    constexpr double kKilo = 1000;
    unsigned kilobytes = 0;
    if (call_(*gpu_, sink.table(), gpu_->nvml->pcie_throughput, 0, &kilobytes)) {
      sink.over(meter_time(), kWindow, sent_, kilobytes * kKilo);
    }
    if (call_(*gpu_, sink.table(), gpu_->nvml->pcie_throughput, 1, &kilobytes)) {
      sink.over(meter_time(), kWindow, received_, kilobytes * kKilo);
    }
  }

 private:
  std::shared_ptr<Gpu> gpu_;
  GpuCall call_{"traffic over PCIe"};
  Counter sent_ = gpu_->counter("gpu_pcie_transmit");
  Counter received_ = gpu_->counter("gpu_pcie_receive");
};

}  // namespace

NvmlField asked_field(unsigned field, unsigned scope) {
  NvmlField asked{};
  asked.id = field;
  asked.scope = scope;
  asked.status = kNvmlNotSupported;  // if the driver leaves it untouched
  return asked;
}

bool has_field(const Gpu& gpu, unsigned field) {
  if (gpu.nvml->fields == nullptr) return false;
  NvmlField asked = asked_field(field);
  return gpu.nvml->fields(gpu.handle, 1, &asked) == kNvmlSuccess && field_number(asked).has_value();
}

std::unique_ptr<MeterReader> gpu_traffic_meter(std::shared_ptr<Gpu> gpu) {
  return std::make_unique<GpuTrafficMeter>(std::move(gpu));
}

std::unique_ptr<MeterReader> slow_pcie_meter(std::shared_ptr<Gpu> gpu) {
  return std::make_unique<SlowPcieMeter>(std::move(gpu));
}

}  // namespace tactus::meters

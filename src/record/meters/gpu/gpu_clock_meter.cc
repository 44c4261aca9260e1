#include "record/meters/gpu/gpu_fields.h"

namespace tactus::meters {
namespace {

/// Fields come in one call, each with its own status.
class GpuClockMeter : public MeterReader {
 public:
  explicit GpuClockMeter(std::shared_ptr<Gpu> gpu)
      : MeterReader("gpu clocks"), gpu_(std::move(gpu)) {}

  void read(MeterSink& sink) override {
    MeterTable& table = sink.table();
    const Nvml& nvml = *gpu_->nvml;
    constexpr int kSm = 1;
    unsigned mhz = 0;
    if (clock_call_(*gpu_, table, nvml.clock, kSm, &mhz)) sink.level(meter_time(), sm_, mhz);
    unsigned long long reasons = 0;
    if (reasons_call_(*gpu_, table, nvml.clock_reasons, &reasons)) {
      sink.level(meter_time(), reasons_, static_cast<double>(reasons));
    }
    read_fields(sink);
    unsigned milliwatts = 0;
    if (!has_power_now_ && power_call_(*gpu_, table, nvml.power, &milliwatts)) {
      sink.level(meter_time(), power_, milliwatts / 1000.0);
    }
  }

 private:
  enum Place : std::size_t { kPower, kReplays, kPcieOut, kPcieIn, kLinkOut, kLinkIn, kFields };

  void read_fields(MeterSink& sink) {
    NvmlField fields[kFields] = {};
    constexpr unsigned kIds[kFields] = {kFieldPowerNow,     kFieldPcieReplays, kFieldPcieSent,
                                        kFieldPcieReceived, kFieldLinkSent,    kFieldLinkReceived};
    for (std::size_t i = 0; i < kFields; ++i) {
      fields[i].id = kIds[i];
      fields[i].status = kNvmlNotSupported;  // if the driver leaves it untouched
    }
    fields[kLinkOut].scope = kAllLinks;
    fields[kLinkIn].scope = kAllLinks;
    has_power_now_ = false;
    if (!fields_call_(*gpu_, sink.table(), gpu_->nvml->fields, static_cast<int>(kFields), fields)) {
      return;
    }
    const MeterTime time = meter_time();
    if (const std::optional<double> milliwatts = field_number(fields[kPower])) {
      has_power_now_ = true;
      sink.level(time, power_, *milliwatts / 1000);
    }
    sink.rate(time, replayed_, field_total(fields[kReplays]), replays_);
    if (!gpu_->has_gpm_pcie) {
      sink.rate(time, pcie_out_, field_total(fields[kPcieOut]), pcie_sent_);
      sink.rate(time, pcie_in_, field_total(fields[kPcieIn]), pcie_received_);
    }
    if (!gpu_->has_gpm_links) {
      constexpr double kKibi = 1024;
      sink.rate(time, link_out_, field_total(fields[kLinkOut]), link_sent_, kKibi);
      sink.rate(time, link_in_, field_total(fields[kLinkIn]), link_received_, kKibi);
    }
  }

  Counter counter(const char* name) const { return Counter(name, MeterScope::kAll, gpu_->label); }

  std::shared_ptr<Gpu> gpu_;
  bool has_power_now_ = false;
  GpuCall clock_call_{"clocks"};
  GpuCall reasons_call_{"why clocks are not higher"};
  GpuCall fields_call_{"power and traffic"};
  GpuCall power_call_{"power"};
  Growth replayed_, pcie_out_, pcie_in_, link_out_, link_in_;
  Counter sm_ = counter("gpu_sm_frequency");
  Counter reasons_ = counter("gpu_clock_reasons");
  Counter power_ = counter("gpu_power");
  Counter replays_ = counter("gpu_pcie_replays");
  Counter pcie_sent_ = counter("gpu_pcie_transmit");
  Counter pcie_received_ = counter("gpu_pcie_receive");
  Counter link_sent_ = counter("gpu_link_transmit");
  Counter link_received_ = counter("gpu_link_receive");
};

}  // namespace

bool has_field(const Gpu& gpu, unsigned field) {
  if (gpu.nvml->fields == nullptr) return false;
  NvmlField asked{};
  asked.id = field;
  asked.status = kNvmlNotSupported;
  return gpu.nvml->fields(gpu.handle, 1, &asked) == kNvmlSuccess && field_number(asked).has_value();
}

std::unique_ptr<MeterReader> gpu_clock_meter(std::shared_ptr<Gpu> gpu) {
  return std::make_unique<GpuClockMeter>(std::move(gpu));
}

}  // namespace tactus::meters

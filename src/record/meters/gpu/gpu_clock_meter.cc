#include "record/meters/gpu/gpu_fields.h"

namespace tactus::meters {
namespace {

class GpuClockMeter : public MeterReader {
 public:
  explicit GpuClockMeter(std::shared_ptr<Gpu> gpu)
      : MeterReader({.name = "gpu clocks", .device = gpu->label, .use = Usefulness::kCause}),
        gpu_(std::move(gpu)) {}

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
  }

 private:
  std::shared_ptr<Gpu> gpu_;
  GpuCall clock_call_{"clocks"};
  GpuCall reasons_call_{"why clocks are not higher"};
  Counter sm_ = gpu_->counter("gpu_sm_frequency");
  Counter reasons_ = gpu_->counter("gpu_clock_reasons");
};

/// The field is the power now; the call, which older drivers have, that of the last second.
class GpuPowerMeter : public MeterReader {
 public:
  explicit GpuPowerMeter(std::shared_ptr<Gpu> gpu)
      : MeterReader({.name = "gpu power", .device = gpu->label}), gpu_(std::move(gpu)) {}

  void read(MeterSink& sink) override {
    if (const std::optional<double> milliwatts = power_now(sink.table())) {
      sink.level(meter_time(), power_, *milliwatts / 1000);
      return;
    }
    unsigned milliwatts = 0;
    if (power_call_(*gpu_, sink.table(), gpu_->nvml->power, &milliwatts)) {
      sink.level(meter_time(), power_, milliwatts / 1000.0);
    }
  }

 private:
  std::optional<double> power_now(MeterTable& table) {
    if (!has_field_) return std::nullopt;
    NvmlField field = asked_field(kFieldPowerNow);
    if (!field_call_(*gpu_, table, gpu_->nvml->fields, 1, &field)) return std::nullopt;
    has_field_ = field.status != kNvmlNotSupported;
    return field_number(field);
  }

  std::shared_ptr<Gpu> gpu_;
  bool has_field_ = true;
  GpuCall field_call_{"power"};
  GpuCall power_call_{"power"};
  Counter power_ = gpu_->counter("gpu_power");
};

}  // namespace

std::unique_ptr<MeterReader> gpu_clock_meter(std::shared_ptr<Gpu> gpu) {
  return std::make_unique<GpuClockMeter>(std::move(gpu));
}

std::unique_ptr<MeterReader> gpu_power_meter(std::shared_ptr<Gpu> gpu) {
  return std::make_unique<GpuPowerMeter>(std::move(gpu));
}

}  // namespace tactus::meters

#include <algorithm>

#include "record/meters/gpu/gpu_fields.h"

namespace tactus::meters {
namespace {

class GpuUseMeter : public MeterReader {
 public:
  explicit GpuUseMeter(std::shared_ptr<Gpu> gpu)
      : MeterReader({.name = "gpu use",
                     .device = gpu->label,
                     .least_ns = 100 * kMillisecond,
                     .use = Usefulness::kCause}),
        gpu_(std::move(gpu)) {}

  void read(MeterSink& sink) override {
    MeterTable& table = sink.table();
    const Nvml& nvml = *gpu_->nvml;
    NvmlUtilization use{};
    if (use_call_(*gpu_, table, nvml.utilization, &use)) {
      const MeterTime time = meter_time();
      sink.level(time, usage_, std::min(use.gpu, 100U));
      sink.level(time, memory_busy_, std::min(use.memory, 100U));
    }
    constexpr int kMemory = 2;
    unsigned mhz = 0;
    if (clock_call_(*gpu_, table, nvml.clock, kMemory, &mhz)) {
      sink.level(meter_time(), memory_clock_, mhz);
    }
    read_memory(sink);
  }

 private:
  void read_memory(MeterSink& sink) {
    const Nvml& nvml = *gpu_->nvml;
    if (nvml.memory_v2 != nullptr && !gpu_->is_lost) {
      NvmlMemoryV2 memory{};
      memory.version = static_cast<unsigned>(sizeof memory) | 2U << 24;
      if (nvml.memory_v2(gpu_->handle, &memory) == kNvmlSuccess) {
        sink.level(meter_time(), memory_used_, static_cast<double>(memory.used));
        return;
      }
    }
    NvmlMemory memory{};
    if (memory_call_(*gpu_, sink.table(), nvml.memory, &memory)) {
      sink.level(meter_time(), memory_used_, static_cast<double>(memory.used));
    }
  }

  std::shared_ptr<Gpu> gpu_;
  GpuCall use_call_{"use of the device"};
  GpuCall clock_call_{"clock of the memory"};
  GpuCall memory_call_{"memory in use"};
  Counter usage_ = gpu_->counter("gpu_usage");
  Counter memory_busy_ = gpu_->counter("gpu_mem_usage");
  Counter memory_clock_ = gpu_->counter("gpu_mem_frequency");
  Counter memory_used_ = gpu_->counter("gpu_mem_used");
};

class GpuStateMeter : public MeterReader {
 public:
  GpuStateMeter(std::shared_ptr<Gpu> gpu, const Root& root)
      : MeterReader({.name = "gpu state",
                     .device = gpu->label,
                     .least_ns = 1000 * kMillisecond,
                     .use = Usefulness::kBackground}),
        gpu_(std::move(gpu)),
        speed_file_(root, folder_of(*gpu_) + "current_link_speed"),
        width_file_(root, folder_of(*gpu_) + "current_link_width") {}

  void read(MeterSink& sink) override {
    unsigned celsius = 0;
    if (call_(*gpu_, sink.table(), gpu_->nvml->temperature, 0, &celsius)) {
      sink.level(meter_time(), temperature_, celsius);
    }
    read_memory_temperature(sink);
    const std::optional<std::string_view> speed = speed_file_.read(buffer_);
    if (const auto rate = speed ? parse_link_speed(*speed) : std::nullopt) {
      sink.level(meter_time(), speed_, *rate);
    }
    const std::optional<std::string_view> width = width_file_.read(buffer_);
    const std::optional<std::uint64_t> lanes = width ? whole_number(*width) : std::nullopt;
    if (lanes && *lanes > 0) {
      sink.level(meter_time(), width_, static_cast<double>(*lanes));
    } else if (!width) {
      sink.table().report({.what = gpu_->label + ": state of the PCIe link",
                           .reason = width_file_.reason(),
                           .fix = "virtual machines and sandboxes often hide it"});
    }
  }

 private:
  static std::string folder_of(const Gpu& gpu) {
    return "/sys/bus/pci/devices/" + gpu.bus_id + "/";
  }

  void read_memory_temperature(MeterSink& sink) {
    if (gpu_->nvml->fields == nullptr || gpu_->is_lost) return;
    NvmlField field = asked_field(kFieldMemoryTemperature);
    if (gpu_->nvml->fields(gpu_->handle, 1, &field) != kNvmlSuccess) return;
    const std::optional<double> celsius = field_number(field);
    if (celsius && *celsius > 0) sink.level(meter_time(), memory_temperature_, *celsius);
  }

  std::shared_ptr<Gpu> gpu_;
  GpuCall call_{"temperature"};
  RootFile speed_file_;
  RootFile width_file_;
  std::string buffer_;
  Counter temperature_ = gpu_->counter("gpu_temp");
  Counter memory_temperature_ = gpu_->counter("gpu_mem_temp");
  Counter speed_ = gpu_->counter("pcie_link_speed");
  Counter width_ = gpu_->counter("pcie_link_width");
};

}  // namespace

std::unique_ptr<MeterReader> gpu_use_meter(std::shared_ptr<Gpu> gpu) {
  return std::make_unique<GpuUseMeter>(std::move(gpu));
}

std::unique_ptr<MeterReader> gpu_state_meter(std::shared_ptr<Gpu> gpu, const Root& root) {
  return std::make_unique<GpuStateMeter>(std::move(gpu), root);
}

}  // namespace tactus::meters

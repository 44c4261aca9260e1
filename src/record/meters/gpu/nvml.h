#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"

// NVML as its library has it: the layout of structures and the numbers of enums are those of the
// driver's interface, which stays compatible. Nothing is linked; the library is loaded at run time.

namespace tactus::meters {

enum : int {  // nvmlReturn_t
  kNvmlSuccess = 0,
  kNvmlInvalidArgument = 2,
  kNvmlNotSupported = 3,
  kNvmlNoPermission = 4,
  kNvmlNotFound = 6,
  kNvmlInsufficientSize = 7,
  kNvmlFunctionNotFound = 13,
  kNvmlGpuIsLost = 15,
};

struct NvmlUtilization {
  unsigned gpu, memory;  ///< %
};
struct NvmlMemory {
  unsigned long long total, free, used;  ///< `used` includes what the driver reserves
};
struct NvmlMemoryV2 {
  unsigned version;
  unsigned long long total, reserved, free, used;
};
struct NvmlPciInfo {
  char legacy_bus_id[16];
  unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
  char bus_id[32];
};
struct NvmlProcess {  // nvmlProcessInfo_v2_t, which the _v3 call fills
  unsigned pid;
  unsigned long long used_bytes;
  unsigned gpu_instance, compute_instance;
};
struct NvmlProcessUse {  // nvmlProcessUtilizationSample_t
  unsigned pid;
  unsigned long long time_us;
  unsigned sm, memory, encoder, decoder;  ///< %
};
struct NvmlField {  // nvmlFieldValue_t
  unsigned id, scope;
  long long time_us, latency_us;
  int type;  ///< of `value`: 0 double, 1 unsigned, 2 unsigned long, 3 unsigned long long, ...
  int status;
  union {
    double as_double;
    int as_int;
    unsigned as_unsigned;
    unsigned long as_unsigned_long;
    unsigned long long as_unsigned_long_long;
    long long as_long_long;
    unsigned short as_unsigned_short;
  } value;
};
struct NvmlGpmMetric {
  unsigned id;
  int status;
  double value;
  const char *short_name, *long_name, *unit;
};
struct NvmlGpmMetrics {  // nvmlGpmMetricsGet_t
  unsigned version, count;
  void *first, *second;        ///< samples
  NvmlGpmMetric metrics[512];  ///< more than any release has
};
struct NvmlGpmSupport {
  unsigned version, is_supported;
};
static_assert(sizeof(NvmlMemoryV2) == 40 && sizeof(NvmlPciInfo) == 68);
static_assert(sizeof(NvmlProcess) == 24 && sizeof(NvmlProcessUse) == 32);
static_assert(sizeof(NvmlField) == 40 && sizeof(NvmlGpmMetric) == 40);

/// The functions that meters need. Any but those that `open` insists on may be null: an older
/// driver does not have it.
class Nvml {
 public:
  using Device = void*;

  /// Loads and starts the library. The message says what is wrong, without a fix.
  static Result<std::shared_ptr<Nvml>> open(const std::string& library);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  std::string words(int status) const;

  int (*device_count)(unsigned*) = nullptr;
  int (*device)(unsigned, Device*) = nullptr;
  int (*name)(Device, char*, unsigned) = nullptr;
  int (*uuid)(Device, char*, unsigned) = nullptr;
  int (*pci_info)(Device, NvmlPciInfo*) = nullptr;
  int (*utilization)(Device, NvmlUtilization*) = nullptr;
  int (*clock)(Device, int, unsigned*) = nullptr;  ///< 1 SM, 2 memory; MHz
  int (*clock_reasons)(Device, unsigned long long*) = nullptr;
  int (*memory)(Device, NvmlMemory*) = nullptr;
  int (*memory_v2)(Device, NvmlMemoryV2*) = nullptr;
  int (*processes)(Device, unsigned*, NvmlProcess*) = nullptr;
  int (*process_use)(Device, NvmlProcessUse*, unsigned*, unsigned long long) = nullptr;
  int (*power)(Device, unsigned*) = nullptr;             ///< mW, the mean of a second
  int (*temperature)(Device, int, unsigned*) = nullptr;  ///< sensor 0
  int (*fields)(Device, int, NvmlField*) = nullptr;
  int (*pcie_throughput)(Device, int, unsigned*) = nullptr;  ///< 0 sent, 1 received; KB/s; 20 ms
  int (*gpm_support)(Device, NvmlGpmSupport*) = nullptr;
  int (*gpm_alloc)(void**) = nullptr;
  int (*gpm_free)(void*) = nullptr;
  int (*gpm_sample)(Device, void*) = nullptr;
  int (*gpm_metrics)(NvmlGpmMetrics*) = nullptr;

 private:
  explicit Nvml(void* library) : library_(library) {}
  void find_functions();

  void* library_;
  int (*init_)() = nullptr;
  int (*shutdown_)() = nullptr;
  const char* (*error_string_)(int) = nullptr;
  bool started_ = false;
};

/// The value of a field; nothing if NVML gave none.
std::optional<double> field_number(const NvmlField& field);
/// The same as a total.
std::optional<std::uint64_t> field_total(const NvmlField& field);

}  // namespace tactus::meters

// Stands for libnvidia-ml.so.1. The variable TACTUS_FAKE_NVML scripts it: "gpus=2;sm=1980;sm.1=E15"
// makes two GPUs at 1980 MHz, of which the second is lost: En is the status n instead of a value.
// What is not named is not supported. "cpu:processes=2000" makes the call that answers "processes"
// take 2 ms of the processor, "wait:pcietx=20000" makes that one wait for 20 ms.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <optional>
#include <string>

#include "record/meters/gpu/nvml.h"

#define SHOWN extern "C" __attribute__((visibility("default")))

using namespace tactus::meters;

namespace {

/// The text after "key=", first that of the device.
std::optional<std::string> scripted(const std::string& key, long device = -1) {
  const char* const script = std::getenv("TACTUS_FAKE_NVML");
  const std::string all = ";" + std::string(script != nullptr ? script : "") + ";";
  for (const std::string& name : {key + "." + std::to_string(device), key}) {
    const std::size_t at = all.find(";" + name + "=");
    if (at == std::string::npos) continue;
    const std::size_t begin = at + name.size() + 2;
    return all.substr(begin, all.find(';', begin) - begin);
  }
  return std::nullopt;
}

long index_of(Nvml::Device device) {
  return static_cast<long>(reinterpret_cast<std::size_t>(device)) - 1;
}

double thread_cpu_us() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

/// Takes the time that is scripted.
void take_time(const std::string& key, long device) {
  if (const auto wait_us = scripted("wait:" + key, device)) {
    ::usleep(static_cast<useconds_t>(std::atoi(wait_us->c_str())));
  }
  if (const auto cpu_us = scripted("cpu:" + key, device)) {
    const double end = thread_cpu_us() + std::atof(cpu_us->c_str());
    while (thread_cpu_us() < end) continue;
  }
}

/// Fills in the value, or gives the status that is scripted.
template <class T>
int answer(const std::string& key, Nvml::Device device, T* into) {
  take_time(key, index_of(device));
  const std::optional<std::string> text = scripted(key, index_of(device));
  if (!text) return kNvmlNotSupported;
  if (text->starts_with("E")) return std::atoi(text->c_str() + 1);
  if (*text == "hang") {
    while (true) ::pause();
  }
  *into = static_cast<T>(std::strtod(text->c_str(), nullptr));
  return kNvmlSuccess;
}

/// "4711:1000,4712:2000", one pair per call of `add`.
template <class Add>
int pairs(const std::string& key, Nvml::Device device, Add add) {
  take_time(key, index_of(device));
  const std::optional<std::string> text = scripted(key, index_of(device));
  if (!text) return kNvmlNotSupported;
  if (text->starts_with("E")) return std::atoi(text->c_str() + 1);
  for (const char* at = text->c_str(); *at != '\0';) {
    char* end = nullptr;
    const unsigned long pid = std::strtoul(at, &end, 10);
    if (*end != ':') break;
    add(static_cast<unsigned>(pid), std::strtoull(end + 1, &end, 10));
    at = *end == ',' ? end + 1 : end;
  }
  return kNvmlSuccess;
}

int write_text(char* into, unsigned size, const std::string& text) {
  std::snprintf(into, size, "%s", text.c_str());
  return kNvmlSuccess;
}

}  // namespace

SHOWN int nvmlInit_v2() {
  return scripted("init") ? std::atoi(scripted("init")->c_str() + 1) : kNvmlSuccess;
}
SHOWN int nvmlShutdown() {
  return kNvmlSuccess;
}
SHOWN const char* nvmlErrorString(int status) {
  return status == kNvmlNoPermission ? "Insufficient Permissions" : "Some error";
}
SHOWN int nvmlDeviceGetCount_v2(unsigned* count) {
  return answer("gpus", nullptr, count);
}
SHOWN int nvmlDeviceGetHandleByIndex_v2(unsigned index, Nvml::Device* device) {
  *device = reinterpret_cast<Nvml::Device>(static_cast<std::size_t>(index) + 1);
  return kNvmlSuccess;
}
SHOWN int nvmlDeviceGetName(Nvml::Device, char* text, unsigned size) {
  return write_text(text, size, "NVIDIA H200");
}
SHOWN int nvmlDeviceGetUUID(Nvml::Device device, char* text, unsigned size) {
  return write_text(text, size, "GPU-" + std::to_string(index_of(device)));
}
SHOWN int nvmlDeviceGetPciInfo_v3(Nvml::Device device, NvmlPciInfo* pci) {
  *pci = {};
  pci->bus = 0x3b + static_cast<unsigned>(index_of(device));
  return kNvmlSuccess;
}
SHOWN int nvmlDeviceGetUtilizationRates(Nvml::Device device, NvmlUtilization* use) {
  answer("memutil", device, &use->memory);
  return answer("util", device, &use->gpu);
}
SHOWN int nvmlDeviceGetClockInfo(Nvml::Device device, int type, unsigned* mhz) {
  return answer(type == 1 ? "sm" : "memclock", device, mhz);
}
SHOWN int nvmlDeviceGetCurrentClocksEventReasons(Nvml::Device device, unsigned long long* bits) {
  return answer("reasons", device, bits);
}
SHOWN int nvmlDeviceGetMemoryInfo(Nvml::Device device, NvmlMemory* memory) {
  return answer("memused", device, &memory->used);
}
SHOWN int nvmlDeviceGetMemoryInfo_v2(Nvml::Device device, NvmlMemoryV2* memory) {
  if (memory->version != (sizeof *memory | 2U << 24)) return 25;  // ARGUMENT_VERSION_MISMATCH
  return answer("memused2", device, &memory->used);
}
SHOWN int nvmlDeviceGetComputeRunningProcesses_v3(Nvml::Device device, unsigned* count,
                                                  NvmlProcess* processes) {
  const unsigned room = *count;
  *count = 0;
  const int status = pairs("processes", device, [&](unsigned pid, unsigned long long bytes) {
    if (*count < room) processes[*count] = {pid, bytes, ~0U, ~0U};
    ++*count;
  });
  return status == kNvmlSuccess && *count > room ? kNvmlInsufficientSize : status;
}
SHOWN int nvmlDeviceGetProcessUtilization(Nvml::Device device, NvmlProcessUse* samples,
                                          unsigned* count, unsigned long long last_us) {
  const unsigned room = *count;
  *count = 0;
  const int status = pairs("use", device, [&](unsigned pid, unsigned long long sm) {
    if (*count < room) samples[*count] = {pid, last_us + 1, static_cast<unsigned>(sm), 0, 0, 0};
    ++*count;
  });
  if (status == kNvmlSuccess && *count == 0) return kNvmlNotFound;
  return status == kNvmlSuccess && *count > room ? kNvmlInsufficientSize : status;
}
SHOWN int nvmlDeviceGetPowerUsage(Nvml::Device device, unsigned* milliwatts) {
  return answer("power", device, milliwatts);
}
SHOWN int nvmlDeviceGetTemperature(Nvml::Device device, int, unsigned* celsius) {
  return answer("temp", device, celsius);
}
SHOWN int nvmlDeviceGetFieldValues(Nvml::Device device, int count, NvmlField* fields) {
  if (const auto status = scripted("fields")) return std::atoi(status->c_str());
  for (int i = 0; i < count; ++i) {
    fields[i].type = 3;
    fields[i].status =
        answer("f" + std::to_string(fields[i].id), device, &fields[i].value.as_unsigned_long_long);
  }
  return kNvmlSuccess;
}
SHOWN int nvmlDeviceGetPcieThroughput(Nvml::Device device, int direction, unsigned* kilobytes) {
  return answer(direction == 0 ? "pcietx" : "pcierx", device, kilobytes);
}
SHOWN int nvmlGpmQueryDeviceSupport(Nvml::Device device, NvmlGpmSupport* support) {
  if (support->version != 1) return kNvmlInvalidArgument;
  return answer("gpm", device, &support->is_supported);
}
SHOWN int nvmlGpmSampleAlloc(void** sample) {
  *sample = new int(0);
  return kNvmlSuccess;
}
SHOWN int nvmlGpmSampleFree(void* sample) {
  delete static_cast<int*>(sample);
  return kNvmlSuccess;
}
SHOWN int nvmlGpmSampleGet(Nvml::Device device, void* sample) {
  static int taken = 0;
  *static_cast<int*>(sample) = ++taken;
  int value = 0;
  if (!scripted("gpmsample")) take_time("gpmsample", index_of(device));
  return scripted("gpmsample") ? answer("gpmsample", device, &value) : kNvmlSuccess;
}
SHOWN int nvmlGpmMetricsGet(NvmlGpmMetrics* request) {
  if (request->version != 1) return kNvmlInvalidArgument;
  // The older sample first, as NVML wants them.
  if (*static_cast<int*>(request->first) >= *static_cast<int*>(request->second))
    return kNvmlInvalidArgument;
  for (unsigned i = 0; i < request->count; ++i) {
    NvmlGpmMetric& metric = request->metrics[i];
    metric.status = answer("g" + std::to_string(metric.id), nullptr, &metric.value);
  }
  return kNvmlSuccess;
}

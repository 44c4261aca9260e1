#include "sources/nsys/database/events/devices.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "run/args/arg_json.h"

namespace tactus::nsys {
namespace {

struct Property {
  std::string_view column;
  std::string_view key;  ///< in Kineto's deviceProperties; the column's name if there is none
};

constexpr Property kProperties[] = {
    {"totalMemory", "totalGlobalMem"},
    {"computeMajor", "computeMajor"},
    {"computeMinor", "computeMinor"},
    {"maxThreadsPerBlock", "maxThreadsPerBlock"},
    {"maxRegistersPerBlock", "regsPerBlock"},
    {"threadsPerWarp", "warpSize"},
    {"maxShmemPerBlock", "sharedMemPerBlock"},
    {"smCount", "numSms"},
    {"maxRegistersPerSm", "regsPerMultiprocessor"},
    {"maxShmemPerBlockOptin", "sharedMemPerBlockOptin"},
    {"maxShmemPerSm", "sharedMemPerMultiprocessor"},
    {"maxWarpsPerSm", "maxWarpsPerSm"},
    {"l2CacheSize", "l2CacheSize"},
    {"memoryBandwidth", "memoryBandwidth"},  // [B/s]
    {"clockRate", "clockRate"},              // [Hz]
};

enum Column : int { kId, kCudaDevice, kMetricsId, kName, kUuid, kFirstProperty };

struct DeviceRow {
  std::int64_t id = 0;
  std::optional<std::int64_t> cuda_device;
  std::optional<std::int64_t> metrics_id;
  StringId name;
  StringId uuid;
  std::vector<std::optional<std::int64_t>> properties;
};

std::vector<DeviceRow> device_rows(Reading& reading) {
  std::vector<std::string_view> columns = {"id", "cuDevice", "pwGpuId", "name", "uuid"};
  for (const Property& property : kProperties) columns.push_back(property.column);
  TableRows rows(reading.tables, "TARGET_INFO_GPU", columns, {});
  std::vector<DeviceRow> devices;
  while (rows.next()) {
    DeviceRow device{.id = rows.integer(kId),
                     .cuda_device = rows.number(kCudaDevice),
                     .metrics_id = rows.number(kMetricsId),
                     .name = reading.builder.intern_repaired(rows.text(kName)),
                     .uuid = reading.builder.intern_repaired(rows.text(kUuid)),
                     .properties = {}};
    for (int column = kFirstProperty; column < static_cast<int>(columns.size()); ++column) {
      device.properties.push_back(rows.number(column));
    }
    devices.push_back(std::move(device));
  }
  return devices;
}

/// Events name a device by its CUDA number, if every device has a different one.
void settle_ids(std::vector<DeviceRow>& devices) {
  std::set<std::int64_t> numbers;
  for (const DeviceRow& device : devices) {
    if (device.cuda_device) numbers.insert(*device.cuda_device);
  }
  if (numbers.size() == devices.size()) {
    for (DeviceRow& device : devices) device.id = *device.cuda_device;
  }
  std::stable_sort(devices.begin(), devices.end(),
                   [](const DeviceRow& a, const DeviceRow& b) { return a.id < b.id; });
}

/// {"id":0,"name":"NVIDIA H200","totalGlobalMem":150754820096,...}
std::string properties_json(const StringPool& strings, const DeviceRow& device) {
  std::string json = "{\"id\":" + std::to_string(device.id) + ",\"name\":";
  append_json_string(json, strings[device.name]);
  for (std::size_t i = 0; i < device.properties.size(); ++i) {
    if (!device.properties[i]) continue;
    json.push_back(',');
    append_json_string(json, kProperties[i].key);
    json += ":" + std::to_string(*device.properties[i]);
  }
  return json + "}";
}

}  // namespace

DeviceOfMetrics read_devices(Reading& reading) {
  RunBuilder& builder = reading.builder;
  std::vector<DeviceRow> devices = device_rows(reading);
  settle_ids(devices);
  DeviceOfMetrics by_metrics_id;
  std::string json;
  for (const DeviceRow& device : devices) {
    builder.run().described_devices.push_back({.source = builder.source_id(),
                                               .index = device.id,
                                               .name = device.name,
                                               .uuid = device.uuid});
    if (device.metrics_id) by_metrics_id.try_emplace(*device.metrics_id, device.id);
    json += (json.empty() ? "[" : ",") + properties_json(builder.run().strings, device);
  }
  if (!json.empty()) {
    builder.source().metadata.push_back(
        {builder.intern("deviceProperties"), builder.intern(json + "]")});
  }
  return by_metrics_id;
}

}  // namespace tactus::nsys

#include "record/meters/host/host_meters.h"

namespace tactus::meters {
namespace {

class ProcessScan : public MeterReader {
 public:
  explicit ProcessScan(std::shared_ptr<OwnProcesses> own)
      : MeterReader(
            {.name = "own processes", .least_ns = 500 * kMillisecond, .use = Usefulness::kCause}),
        own_(std::move(own)) {}

  void read(MeterSink& sink) override { own_->scan(sink.table()); }

 private:
  std::shared_ptr<OwnProcesses> own_;
};

}  // namespace

std::unique_ptr<MeterReader> process_scan(std::shared_ptr<OwnProcesses> own) {
  return std::make_unique<ProcessScan>(std::move(own));
}

MeterReaders host_readers(const Root& root, const std::shared_ptr<OwnProcesses>& own) {
  MeterReaders readers;
  readers.push_back(process_scan(own));
  readers.push_back(cpu_meter(root, own));
  readers.push_back(run_queue_meter(root, own));
  readers.push_back(stop_meter(root, own));
  readers.push_back(pressure_meter(root));
  readers.push_back(disk_meter(root));
  readers.push_back(network_meter(root));
  readers.push_back(infiniband_meter(root));
  readers.push_back(memory_meter(root));
  readers.push_back(paging_meter(root));
  readers.push_back(process_memory_meter(root, own));
  readers.push_back(process_io_meter(root, own));
  readers.push_back(quota_meter(root, own));
  readers.push_back(frequency_meter(root));
  return readers;
}

}  // namespace tactus::meters

#include "bench/device/cuda_facts.h"

#include <fmt/format.h>

#include <cstring>

#include "base/hash.h"
#include "bench/device/cuda_driver.h"
#include "bench/worker/worker_process.h"

namespace tactus {
namespace {

constexpr int kComputeCapabilityMajor = 75;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
constexpr int kComputeCapabilityMinor = 76;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR
constexpr double kPatienceSeconds = 60;

/// The data that goes from one process to the other.
struct Answer {
  char error[256] = "";
  char name[128] = "";
  char uuid[16] = "";
  bool has_uuid = false;
  int driver = 0;  ///< 13000
  int major = 0;
  int minor = 0;
};

void complain(Answer& answer, const std::string& text) {
  std::strncpy(answer.error, text.c_str(), sizeof answer.error - 1);
}

Answer ask_driver(int ordinal) {
  Answer answer;
  const Result<CudaDriver> driver = load_cuda_driver();
  if (!driver) {
    complain(answer, driver.error().message);
    return answer;
  }
  int device = 0;
  if (const int error = driver->cuDeviceGet(&device, ordinal); error != 0) {
    complain(answer, fmt::format("no CUDA device {}: {}", ordinal, driver->text(error)));
    return answer;
  }
  driver->cuDeviceGetName(answer.name, sizeof answer.name, device);
  answer.has_uuid =
      driver->cuDeviceGetUuid != nullptr && driver->cuDeviceGetUuid(answer.uuid, device) == 0;
  driver->cuDriverGetVersion(&answer.driver);
  driver->cuDeviceGetAttribute(&answer.major, kComputeCapabilityMajor, device);
  driver->cuDeviceGetAttribute(&answer.minor, kComputeCapabilityMinor, device);
  return answer;
}

/// Enough to tell cards apart, and too little to find one by.
std::string card_of(const Answer& answer) {
  const std::uint64_t hash = hash_bytes(std::string_view(answer.uuid, sizeof answer.uuid));
  return fmt::format("{:08x}", hash >> 32);
}

}  // namespace

Result<CudaFacts> cuda_facts(int ordinal) {
  Result<WorkerProcess> worker = WorkerProcess::start([ordinal](const Channel& channel) {
    if (!channel.receive(kPatienceSeconds).frame) return;
    const Answer answer = ask_driver(ordinal);
    const auto* bytes = reinterpret_cast<const std::byte*>(&answer);
    channel.send(Frame(bytes, bytes + sizeof answer));
  });
  if (!worker) return worker.error();
  const Result<Frame> frame = worker->ask(Frame(1), kPatienceSeconds);
  if (!frame || frame->size() != sizeof(Answer)) {
    return broke_error("asking the CUDA driver failed: " +
                       (frame ? std::string("no answer") : frame.error().message));
  }
  Answer answer;
  std::memcpy(&answer, frame->data(), sizeof answer);
  if (answer.error[0] != '\0') return input_error(answer.error);
  return CudaFacts{.name = answer.name,
                   .driver = fmt::format("{}.{}", answer.driver / 1000, answer.driver % 1000 / 10),
                   .card = answer.has_uuid ? card_of(answer) : "",
                   .architecture = fmt::format("sm_{}{}{}", answer.major, answer.minor,
                                               answer.major >= 9 ? "a" : "")};
}

}  // namespace tactus

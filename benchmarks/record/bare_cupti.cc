// The least that collects kernels by CUPTI: what our full mode is measured against. A program loads
// it and calls bare_start() and bare_stop().
#include <cupti.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>

namespace {

std::atomic<long> kernels = 0;
CUpti_SubscriberHandle subscriber;

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most) {
  *size = std::size_t{8} << 20U;
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, *size));
  *most = 0;
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                          std::size_t valid) {
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) ++kernels;
  std::free(buffer);
}

void CUPTIAPI ignore(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

}  // namespace

extern "C" {

int bare_start() {
  if (const int result = cuptiSubscribe(&subscriber, ignore, nullptr); result != 0) return result;
  cuptiActivityRegisterCallbacks(give_buffer, take_buffer);
  return cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
}

/// The number of kernels since the last call.
long bare_stop() {
  cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  cuptiActivityFlushAll(1);
  cuptiUnsubscribe(subscriber);
  return kernels.exchange(0);
}
}

#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "cycles/trace_text.h"

namespace tactus::testing {

/// A trace of an engine: a host thread that launches the kernels of a model, and the device that
/// runs them behind it. Times in ns from the beginning.
class EngineTrace {
 public:
  explicit EngineTrace(int pid = 100) : pid_(pid) {}

  /// A slice of the host around what `inside` does.
  template <class F>
  EngineTrace& around(std::string_view category, std::string_view name, F&& inside) {
    const long start = host_ns_;
    host_ns_ += 200;
    inside();
    host_ns_ += 200;
    event(category, name, pid_, pid_, start, host_ns_ - start, 0);
    return *this;
  }
  /// A call that launches a kernel.
  EngineTrace& launch(std::string_view kernel, long dur_ns) {
    call("cudaLaunchKernel");
    return run(kernel, dur_ns);
  }
  /// A call that launches what run() says next.
  EngineTrace& call(std::string_view api) {
    ++correlation_;
    event("cuda_runtime", api, pid_, pid_, host_ns_, 800, correlation_);
    launched_ns_ = host_ns_;
    host_ns_ += 1000;
    return *this;
  }
  EngineTrace& run(std::string_view kernel, long dur_ns) {
    device_ns_ = std::max(device_ns_ + 100, launched_ns_ + 2000);
    event("kernel", kernel, device_, 7, device_ns_, dur_ns, correlation_);
    device_ns_ += dur_ns;
    return *this;
  }
  EngineTrace& wait_for_device() {
    host_ns_ = std::max(host_ns_, device_ns_);
    return *this;
  }
  EngineTrace& pause(long ns) {
    host_ns_ += ns;
    return *this;
  }
  /// What comes next is another process with a device of its own, from the beginning of time.
  EngineTrace& other_process(int pid, int device) {
    pid_ = pid;
    device_ = device;
    host_ns_ = 10'000;
    device_ns_ = 0;
    return *this;
  }
  long host_ns() const { return host_ns_; }

  std::string json() const { return R"({"traceEvents":[)" + events_ + "]}"; }

 private:
  static std::string microseconds(long ns) {
    const std::string fraction = std::to_string(1000 + ns % 1000);
    return std::to_string(ns / 1000) + "." + fraction.substr(1);
  }
  void event(std::string_view category, std::string_view name, int pid, int tid, long start_ns,
             long dur_ns, long correlation) {
    if (!events_.empty()) events_ += ",\n";
    events_ += R"({"ph":"X","cat":")" + std::string(category) + R"(","name":")" +
               std::string(name) + R"(","pid":)" + std::to_string(pid) + R"(,"tid":)" +
               std::to_string(tid) + R"(,"ts":)" + microseconds(start_ns) + R"(,"dur":)" +
               microseconds(dur_ns) + R"(,"args":{)";
    if (category == "kernel") {
      events_ += R"("device":)" + std::to_string(device_) + R"(,"stream":7,)";
    }
    events_ += R"("correlation":)" + std::to_string(correlation) + "}}";
  }

  std::string events_;
  int pid_;
  int device_ = 0;
  long host_ns_ = 10'000;
  long device_ns_ = 0;
  long launched_ns_ = 0;
  long correlation_ = 0;
};

/// Names that an engine gives its steps and layers; an empty one is not written.
struct EngineNames {
  std::string_view category = "python_function";
  std::string_view step = "Scheduler.run_batch";
  std::string_view layer = "Qwen3DecoderLayer.forward";
};

struct StepShape {
  int layers = 8;
  long unit_ns = 1500;  ///< of each kernel
  int first_layer = 0;  ///< layers before it are not in the recording
  int last_layer = 1000;
};

inline constexpr long kStepLaunches = 3 + 8 * 8 + 2;

template <class F>
void around_if(EngineTrace& trace, std::string_view category, std::string_view name, bool is_there,
               F&& inside) {
  if (name.empty() || !is_there) {
    inside();
  } else {
    trace.around(category, name, inside);
  }
}

/// The kernels of trace_text.h's model, launched one by one.
inline void add_step(EngineTrace& trace, const EngineNames& names, const StepShape& shape = {}) {
  using namespace kernels;
  const bool is_cut = shape.first_layer > 0 || shape.last_layer < shape.layers;
  around_if(trace, names.category, names.step, !is_cut, [&] {
    if (shape.first_layer == 0) {
      for (const std::string_view kernel : {kCopy, kEmbedding, kNorm}) trace.launch(kernel, 500);
    }
    for (int i = shape.first_layer; i < std::min(shape.layers, shape.last_layer); ++i) {
      around_if(trace, names.category, names.layer, true, [&] {
        for (const std::string_view kernel :
             {kGemm, kSdpa, kGemm, kAddNorm, kGemm, kActivation, kGemm, kAddNorm}) {
          trace.launch(kernel, shape.unit_ns);
        }
      });
    }
    if (shape.last_layer < shape.layers) return;
    trace.launch("nvjet_tst_512x32_64x3_2x1_v_bz_TNT", 500).launch(kArgmax, 500);
  });
  trace.pause(20'000);
}

}  // namespace tactus::testing

#pragma once

#include <map>
#include <optional>
#include <string_view>

#include "run/builder.h"
#include "sources/kineto/dialects/foreign_slice.h"

namespace tactus::kineto {

/// Traces of jax.profiler and TensorFlow (`*.trace.json.gz`). Events have no category; the name of
/// their process tells whose they are, and all arguments are texts:
///
///   process "/device:GPU:0", thread "Stream #14(Memset,MemcpyD2D,Compute)"
///     {"name":"loop_gather_fusion","args":{"correlation_id":"50","hlo_op":"command_buffer_1",
///      "kernel_details":"regs:16 static_shared:0 dynamic_shared:0 grid:32768,1,1 block:128,1,1
///      occ_pct:100"}}
///   process "/host:CPU", thread "python3"
///     {"name":"$core.py:686 bind"}
///     {"name":"cuGraphLaunch (CudaGraph:580)","args":{"correlation_id":"50"}}
class XlaEvents {
 public:
  explicit XlaEvents(RunBuilder& builder) : builder_(builder) {}

  /// Remembers a process that XLA names.
  void note_process(ProcessId process, std::string_view name);
  bool is_active() const { return !places_.empty(); }
  bool knows(ProcessId process) const { return places_.contains(process); }

  void add(ForeignSlice slice);

 private:
  struct Place {
    std::optional<std::int64_t> device;  ///< nothing on the host
  };

  void add_device_slice(ForeignSlice& slice, std::int64_t device);
  void add_host_slice(ForeignSlice& slice);
  void translate_args(ForeignSlice& slice);
  void add_kernel_details(std::string_view details);
  void add_number(std::string_view key, std::int64_t number);
  void add_list(std::string_view key, std::string_view list);
  const ForeignSlice::Arg* find(const ForeignSlice& slice, std::string_view key) const;

  RunBuilder& builder_;
  std::map<ProcessId, Place> places_;
  std::vector<ForeignSlice::Arg> args_;  ///< of the slice, in Kineto's words
};

}  // namespace tactus::kineto

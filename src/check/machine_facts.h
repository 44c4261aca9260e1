#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "check/gpu_fit.h"

namespace tactus {

/// Where facts are read; tests use their own folder.
struct MachineRoots {
  std::string proc = "/proc";
  std::string sys = "/sys";
  std::string dev = "/dev";
  std::string path;       ///< folders of programs, as PATH; empty: PATH
  std::string temporary;  ///< empty: that of the system
};

/// Facts about the NVIDIA driver and its libraries, from a separate process.
struct DriverFacts {
  bool loaded = false;    ///< libcuda.so.1 is there
  std::string complaint;  ///< why it does not start; empty if it does
  int version = 0;        ///< the newest CUDA that it supports: 13000
  std::vector<Gpu> gpus;
  bool nvml_loaded = false;    ///< libnvidia-ml.so.1 is there
  std::string nvml_complaint;  ///< why NVML does not start
  std::string release;         ///< "580.82.07", as NVML says
  std::string cublaslt;        ///< "13.0.2" of the cuBLASLt that loads; empty if none does
};

/// A program on the PATH.
struct FoundProgram {
  std::string path;
  std::string version;  ///< its own answer; empty if it gives none
};

/// nvcc and the compilers that it works with.
struct CompilerFacts {
  std::vector<FoundProgram> nvcc;  ///< those on the PATH, different ones only; the first wins
  std::vector<FoundProgram> gxx;
  std::string nvcc_elsewhere;  ///< one that is installed but not on the PATH
  int toolkit = 0;             ///< 13000, of the nvcc that wins
  int newest_gcc = 0;          ///< 15: the newest that the toolkit's headers accept; 0 if unknown
  std::string host_compiler;   ///< the first that nvcc accepted in a test; empty if none or no nvcc
  std::string complaint;       ///< why nvcc accepted none
};

/// What may be recorded here.
struct RecordingFacts {
  std::optional<int> perf_paranoid;
  std::uint64_t capabilities = 0;                ///< effective ones of this process
  std::optional<int> perf_error;                 ///< errno of a test to watch a core; 0 if it works
  std::optional<int> bpf_error;                  ///< errno of a test to make an eBPF map
  bool btf = false;                              ///< kernel types, for eBPF
  std::optional<bool> counters_for_admins_only;  ///< of the NVIDIA driver; nothing without one
  std::optional<std::uint64_t> locked_bytes;  ///< that may be locked in memory; nothing: no limit
};

struct MachineFacts {
  DriverFacts driver;
  bool device_files = false;         ///< /dev/nvidiactl is there
  bool device_files_denied = false;  ///< but cannot be opened
  CompilerFacts compilers;
  RecordingFacts recording;
  std::string cuda_library;  ///< our own CUDA kernels; empty if they were not built
  FoundProgram python;
  std::string torch;  ///< "2.8.0, CUDA 12.8"; empty if that Python has none
  std::string temporary;
  bool temporary_writable = false;
  bool temporary_no_exec = false;  ///< programs that are built there cannot run
  std::uint64_t temporary_free_bytes = 0;
};

DriverFacts read_driver();
/// `try_nvcc`: compiles one line with it, which takes a second.
CompilerFacts read_compilers(const MachineRoots& roots, bool try_nvcc);
RecordingFacts read_recording(const MachineRoots& roots);
MachineFacts read_machine(const MachineRoots& roots = {});

}  // namespace tactus

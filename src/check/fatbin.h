#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tactus {

/// Code for one GPU architecture, as nvcc puts it into a library.
struct GpuCode {
  bool machine_code = false;  ///< else PTX, which the driver compiles at load time
  int number = 0;             ///< 90: for compute capability 9.0
  char variant = '\0';        ///< 'a': for exactly this GPU, 'f': for its family
  int ptx_version = 0;        ///< 90: PTX 9.0; 0 for machine code

  std::string name() const;  ///< "sm_90a", "compute_80"
  bool operator==(const GpuCode&) const = default;
};

/// The GPU code inside a library or program.
struct Fatbin {
  std::vector<GpuCode> code;  ///< each architecture once; machine code first, older ones first
  int containers = 0;         ///< about one per .cu file
  int host_machine = 0;       ///< EM_ of the part for the CPU; 0 if there is none
  bool other_code = false;    ///< also code that is neither machine code nor PTX (for a later link)
  bool for_amd = false;       ///< code for AMD GPUs, which is not read
  std::string broken;         ///< why not all of it could be read; empty if it could
};

/// Reads `size` bytes at `offset`; the caller has checked that they are inside.
using ReadAt = std::function<Status(std::uint64_t offset, char* into, std::size_t size)>;

/// Reads only the headers, for any file size. An error means that it is not an ELF file, or a
/// broken one; a library without GPU code is not an error.
Result<Fatbin> read_fatbin(const ReadAt& read_at, std::uint64_t size, const std::string& name);
Result<Fatbin> read_fatbin_file(const std::string& path);

/// The code that a list of cuobjdump names, for machine code or for PTX ("tiny.1.sm_90.ptx").
std::vector<GpuCode> gpu_code_named(std::string_view text, bool machine_code);

/// Sorts like Fatbin::code, each architecture once.
void tidy(std::vector<GpuCode>& code);

}  // namespace tactus

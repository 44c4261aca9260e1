#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "check/fatbin.h"

namespace tactus::testing {

/// A piece of GPU code as nvcc lays it out.
struct FatbinEntry {
  int kind = 2;  ///< 1 PTX, 2 machine code
  int number = 0;
  std::uint64_t flags = 0x11;
  int ptx_version = 90;
};

std::string fatbin_container(const std::vector<FatbinEntry>& entries);

/// An ELF library with one section of that name and content.
std::string elf_with_section(const std::string& name, const std::string& content,
                             int machine = 62 /* x86-64 */);

/// Reads bytes in memory.
Result<Fatbin> read_fatbin_bytes(const std::string& bytes);

}  // namespace tactus::testing

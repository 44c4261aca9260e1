// ELF files of a target, which may be anything, and what /proc says of it.
#include <cstddef>
#include <cstdint>

#include "record/attach/module_file.h"
#include "record/attach/process_memory.h"
#include "record/session/fill/symbols.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view file(reinterpret_cast<const char*>(data), size);
  const auto symbols = tactus::record::ModuleSymbols::read(file);
  tactus::record::ModuleFile::read(file, {"malloc", "main"});
  tactus::record::parse_mappings(file);
  tactus::record::parse_status(file);
  tactus::record::parse_call(file);
  for (std::uint64_t at = 0; at < 4096; at += 61) symbols.find(at);
  return 0;
}

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::record {

/// What has to be known of a library inside a process, from its ELF file.
struct ModuleFile {
  /// A part of the file that is put into memory.
  struct Part {
    std::uint64_t offset = 0;   ///< in the file
    std::uint64_t address = 0;  ///< relative to where the library is
    std::uint64_t size = 0;     ///< of what comes from the file
    bool is_code = false;
  };
  std::vector<Part> parts;
  bool names_loader = false;  ///< a program that is not linked statically
  /// Functions that others can use, relative to where the library is. Of those that were asked for.
  std::map<std::string, std::uint64_t, std::less<>> functions;

  /// Nothing is known about a file that is not such a file, or that is damaged.
  static ModuleFile read(std::string_view file, const std::vector<std::string_view>& wanted);
  static ModuleFile open(const std::string& path, const std::vector<std::string_view>& wanted);
};

}  // namespace tactus::record

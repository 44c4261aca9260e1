#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::record {

/// The functions of one ELF file, from .symtab or else .dynsym.
class ModuleSymbols {
 public:
  /// Nothing is known about a file that is not such a file, or that is damaged.
  static ModuleSymbols read(std::string_view file);
  /// Reads only the parts of a file that matter.
  static ModuleSymbols open(const std::string& path);

  /// As hexadecimal digits; empty if it has none.
  const std::string& build_id() const { return build_id_; }
  /// The function at an address of the file's memory image, demangled; nothing if there is none.
  std::optional<std::string> find(std::uint64_t address) const;
  std::size_t size() const { return functions_.size(); }

 private:
  struct Function {
    std::uint64_t begin = 0;
    std::uint64_t size = 0;
    std::uint32_t name = 0;  ///< offset in names_
  };
  std::vector<Function> functions_;  ///< by begin
  std::string names_;
  std::string build_id_;
};

/// Names of native frames, from the files on this machine. A file is read when it is first asked
/// for.
class Symbols {
 public:
  /// "at::native::add(..) (libtorch_cpu.so+0x1a2b)"; without a symbol "libtorch_cpu.so+0x1a2b
  /// [build id]". `root`: in front of paths, for a process that sees other files
  /// ("/proc/4711/root").
  std::string frame_text(const std::string& root, const std::string& path,
                         const std::string& build_id, std::uint64_t address);

 private:
  std::map<std::pair<std::string, std::string>, ModuleSymbols> modules_;  ///< by path and build id
};

}  // namespace tactus::record

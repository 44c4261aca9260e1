#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/attach/process_memory.h"

namespace tactus::record {

/// The libraries inside a process, as far as they matter to somebody who wants to call functions
/// there.
class Territory {
 public:
  /// An error if the process cannot be helped: no C library of GNU, no CUDA, an allocator that
  /// cannot be told from the program.
  static Result<Territory> explore(std::int64_t pid);
  /// For tests.
  explicit Territory(std::vector<Mapping> mappings) : mappings_(std::move(mappings)) {}

  /// A function of the C library; 0 if it has none of that name.
  std::uint64_t function(std::string_view name) const;
  const Mapping* at(std::uint64_t address) const;
  /// Of the C library or the loader, both of which have locks that a thread may hold.
  bool is_of_c_library(std::uint64_t address) const;
  /// Of a library with a malloc of its own.
  bool is_of_allocator(std::uint64_t address) const;
  bool has_allocator() const { return !allocators_.empty(); }
  /// Where signal handlers return to; 0 if it was not found.
  std::uint64_t signal_return() const { return signal_return_; }

  /// Bytes behind the code of a library, in its last page, that nothing uses.
  std::optional<std::uint64_t> find_cave(std::int64_t pid, std::uint64_t bytes) const;
  /// Addresses where nothing is.
  std::uint64_t find_gap(std::uint64_t bytes) const;

 private:
  void add_functions(const Mapping& code, std::int64_t pid);
  void find_signal_return(std::int64_t pid);

  std::vector<Mapping> mappings_;
  std::map<std::string, std::uint64_t, std::less<>> functions_;
  std::vector<std::string> allocators_;             ///< paths
  std::map<std::string, std::uint64_t> code_ends_;  ///< by path: where its code ends
  std::uint64_t signal_return_ = 0;
};

}  // namespace tactus::record

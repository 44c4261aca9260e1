#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "tactus/operator.h"

namespace tactus {

/// A candidate in this process: a shared library that was opened, or one that is built in. Whoever
/// opens a stranger's library does so in a process that may die.
class KernelLibrary {
 public:
  /// An error says why it cannot be used: not a library, another interface, nothing in it.
  static Result<KernelLibrary> open(const std::string& path);
  explicit KernelLibrary(const tactus_library_v1& built_in) : library_(&built_in) {}

  std::string name() const { return library_->name == nullptr ? "" : library_->name; }
  /// See allocation_count.h; nothing happens for one that is built in.
  void count_allocations() const;
  /// Null where it has none for that device.
  const tactus_entry* find(const std::string& operator_name, tactus_device device) const;

 private:
  KernelLibrary(std::shared_ptr<void> handle, const tactus_library_v1& library)
      : handle_(std::move(handle)), library_(&library) {}

  std::shared_ptr<void> handle_;
  const tactus_library_v1* library_;
};

}  // namespace tactus

#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "tactus/operator.h"

namespace tactus {

/// A candidate in this process: an opened shared library, or a built-in one. A library of somebody
/// else is opened only in a process that may die.
class KernelLibrary {
 public:
  /// An error says why it cannot be used: not a library, another interface, no entries.
  static Result<KernelLibrary> open(const std::string& path);
  explicit KernelLibrary(const tactus_library_v1& built_in) : library_(&built_in) {}

  std::string name() const { return library_->name == nullptr ? "" : library_->name; }
  /// See allocation_count.h; does nothing for a built-in one.
  void count_allocations() const;
  /// Null if it has none for that device.
  const tactus_entry* find(const std::string& operator_name, tactus_device device) const;

 private:
  KernelLibrary(std::shared_ptr<void> handle, const tactus_library_v1& library)
      : handle_(std::move(handle)), library_(&library) {}

  std::shared_ptr<void> handle_;
  const tactus_library_v1* library_;
};

}  // namespace tactus

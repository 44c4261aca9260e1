#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "tactus/operator.h"

namespace tactus {

/// A Python file as a candidate: a function per operator, which gets torch tensors over the memory
/// of the call. Python is loaded into this process, which may die of it.
class PythonLibrary {
 public:
  /// An error says what is missing: Python's library, torch, or what the file itself lacks. The
  /// entry is null if the file has no function for the operator.
  static Result<PythonLibrary> open(const std::string& path, const std::string& operator_name,
                                    tactus_device device);

  const tactus_entry* entry() const;
  /// What the last call that failed said.
  std::string message() const;

 private:
  struct Slots;
  PythonLibrary() = default;

  std::shared_ptr<Slots> slots_;
};

}  // namespace tactus

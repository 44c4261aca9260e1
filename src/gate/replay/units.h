#pragma once

#include <utility>

#include "gate/replay/simulate.h"

namespace tactus::gate {

/// The class of what a thread launched between two waits: that of the first launch that has one.
class UnitClass {
 public:
  void add(std::size_t class_number) {
    if (class_ == kNoClassNumber) class_ = class_number;
  }
  std::size_t take() { return std::exchange(class_, kNoClassNumber); }

 private:
  std::size_t class_ = kNoClassNumber;
};

/// A result without numbers.
std::vector<ClassOutcome> named_classes(const Policy& policy);

}  // namespace tactus::gate

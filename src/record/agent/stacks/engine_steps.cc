#include "record/agent/stacks/engine_steps.h"

#include <cstring>

namespace tactus::agent {

std::uint8_t step_function(const char*, std::size_t, const char*, std::size_t) {
  return 0;
}

}  // namespace tactus::agent

// The page with which a thread that was started by `tactus record --inject` begins. The recorder
// reads it if the agent does not come.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tactus::wire {

inline constexpr const char* kInjectedEntry = "tactus_agent_injected";
inline constexpr std::uint64_t kInjectedPageBytes = 4096;

enum class InjectedState : std::uint32_t {
  kBegun = 0,
  kNoThread = 1,   ///< `result` has the error number
  kNotLoaded = 2,  ///< `text` says why
};

struct InjectedPage {
  InjectedState state;
  std::uint32_t result;
  // Functions of the C library.
  std::uint64_t thread_self, thread_detach, load, find, error;
  char entry[64];
  char text[256];  ///< of the error
  char path[1024];
};
static_assert(offsetof(InjectedPage, thread_self) == 8 &&
                  offsetof(InjectedPage, thread_detach) == 16 &&
                  offsetof(InjectedPage, load) == 24 && offsetof(InjectedPage, find) == 32 &&
                  offsetof(InjectedPage, error) == 40 && offsetof(InjectedPage, entry) == 48 &&
                  offsetof(InjectedPage, text) == 112 && offsetof(InjectedPage, path) == 368,
              "the trampoline knows these places");
static_assert(sizeof(InjectedPage) <= kInjectedPageBytes);

}  // namespace tactus::wire

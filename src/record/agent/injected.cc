// Where the agent begins in a process that was started without it (`tactus record --inject`). Calls
// of the driver do not come to it, because their addresses are known to the program already; so it
// has what CUPTI tells.
#include "wire/injected.h"

#include <dlfcn.h>
#include <sys/mman.h>

#include "record/agent/agent.h"
#include "record/agent/cupti/activities.h"

extern "C" __attribute__((visibility("default"))) void* tactus_agent_injected(void* page) {
  using namespace tactus::agent;
  munmap(page, tactus::wire::kInjectedPageBytes);
  // In a program that was started with the agent, everybody finds it. RTLD_DEFAULT would not do:
  // a library always finds itself.
  void* program = dlopen(nullptr, RTLD_LAZY);
  if (program == nullptr || find_symbol(program, tactus::wire::kInjectedEntry) == nullptr) {
    has_no_hooks = true;
  }
  dlerror();  // that it was not found is not the program's error
  if (start()) serve_recorders();
  return nullptr;
}

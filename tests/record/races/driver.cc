// What stands in for the agent's dlsym, which a sanitizer cannot live with.
#include "record/agent/driver.h"

#include <dlfcn.h>

namespace tactus::agent {

void* find_symbol(void* library, const char* name) {
  return dlsym(library, name);
}

void* find_hidden(const char* symbol) {
  // The driver is in no scope, so it is looked for by its name.
  return dlsym(RTLD_NEXT, symbol);
}

}  // namespace tactus::agent

#include "record/agent/cublas/scopes.h"

#include <dlfcn.h>
#include <link.h>

#include <cstring>

#include "record/agent/hook_table.h"
#include "record/agent/stacks/unwind_rules.h"

namespace tactus::agent {
namespace {

constexpr std::size_t kSlots = 2u * wire::kScopes;
constexpr std::size_t kProbes = 32;
constexpr int kTries = 64;

std::atomic<std::uint32_t> slots[kSlots];  // numbers of scopes
std::atomic<std::uint32_t> is_taken = 0;

std::size_t place_of(const wire::Scope& scope) {
  std::uint64_t words[sizeof scope / 8];
  std::memcpy(words, &scope, sizeof scope);
  std::uint64_t hash = 1;
  for (const std::uint64_t word : words) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return hash >> 16;
}

/// What a library that is loaded, or one that it needs, has for a name; nullptr is the program.
void* find_in(const char* library, const char* name) {
  void* handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return nullptr;
  void* found = find_symbol(handle, name);
  dlclose(handle);
  return found;
}

}  // namespace

std::uint32_t find_scope(const wire::Scope& scope) {
  wire::ScopeArea& area = data()->scopes;
  const std::size_t place = place_of(scope);
  for (std::size_t i = 0; i < kProbes; ++i) {
    const std::uint32_t number = slots[(place + i) % kSlots].load(std::memory_order_acquire);
    if (number == 0) break;
    if (area.scope[number] == scope) return number;
  }
  for (int tries = 0; is_taken.exchange(1, std::memory_order_acquire) != 0; ++tries) {
    if (tries < kTries) continue;
    area.lost.fetch_add(1, std::memory_order_relaxed);
    return wire::kNoScope;
  }
  std::uint32_t found = wire::kNoScope;
  for (std::size_t i = 0; i < kProbes && found == wire::kNoScope; ++i) {
    std::atomic<std::uint32_t>& slot = slots[(place + i) % kSlots];
    const std::uint32_t number = slot.load(std::memory_order_acquire);
    if (number != 0) {
      if (area.scope[number] == scope) found = number;
      continue;
    }
    const std::uint32_t used = area.scopes.load(std::memory_order_relaxed);
    const std::uint32_t next = used == 0 ? 1 : used;
    if (next >= wire::kScopes) break;
    area.scope[next] = scope;
    area.scopes.store(next + 1, std::memory_order_release);
    slot.store(next, std::memory_order_release);
    found = next;
  }
  if (found == wire::kNoScope) area.lost.fetch_add(1, std::memory_order_relaxed);
  is_taken.store(0, std::memory_order_release);
  return found;
}

void forget_scopes() {
  for (std::atomic<std::uint32_t>& slot : slots) slot.store(0, std::memory_order_relaxed);
  is_taken = 0;
}

void* find_library_function(const char* name, const void* caller) {
  Module module;
  if (find_module(reinterpret_cast<Address>(caller), module)) {
    // A module that only came along with another has no list of what it needs, and dlsym crashes on
    // it. Opened once more, it has one.
    const auto* map = reinterpret_cast<const link_map*>(module.link_map);
    if (void* found = find_in(map->l_name[0] != '\0' ? map->l_name : nullptr, name)) return found;
  }
  if (void* found = find_hidden(name)) return found;
  for (const char* library : {"libcublas.so.13", "libcublasLt.so.13", "libcublas.so.12",
                              "libcublasLt.so.12", "libcublas.so.11", "libcublasLt.so.11"}) {
    if (void* found = find_in(library, name)) return found;
  }
  return nullptr;
}

}  // namespace tactus::agent

#include "record/agent/stacks/unwind_rules.h"

#include <dlfcn.h>
#include <sys/mman.h>

#include <atomic>
#include <cstring>

#include "record/agent/driver.h"
#include "record/agent/stacks/eh_frame.h"
#include "record/agent/stacks/stack_table.h"

namespace tactus::agent {
namespace {

/// The C library's dl_find_object
struct FoundObject {
  unsigned long long flags;
  void* begin;
  void* end;
  void* link_map;
  void* unwind_table;
  unsigned long long reserved[16];
};
using FindObject = int (*)(void*, FoundObject*);

struct KnownRule {
  std::atomic<Address> address;
  std::atomic<std::uint64_t> rule;
};
constexpr std::size_t kRules = 1u << 15;
constexpr std::size_t kProbes = 16;

std::atomic<std::uint32_t> closed = 0;
std::atomic<KnownRule*> rules = nullptr;
std::uint32_t rules_of = 0;  // the value of `closed` that they are for; guarded by the StackTable

std::size_t place_of(Address address) {
  return mix(3, address) >> 20;
}

FindObject find_object() {
  static std::atomic<std::uintptr_t> known = 0;  // 1: there is none
  std::uintptr_t function = known.load(std::memory_order_relaxed);
  if (function == 0) {
    void* found = find_symbol(RTLD_DEFAULT, "_dl_find_object");
    function = found != nullptr ? reinterpret_cast<std::uintptr_t>(found) : 1;
    known.store(function, std::memory_order_relaxed);
  }
  return function == 1 ? nullptr : reinterpret_cast<FindObject>(function);
}

UnwindRule look_up(Address address, Address evaluate, unsigned char* scratch, std::size_t room) {
  Module module;
  if (!find_module(address, module) || module.unwind_table == 0) {
    return UnwindRule::make(UnwindRule::kNone, 0, 0);
  }
  return find_rule(module.unwind_table, address, evaluate, scratch, room);
}

}  // namespace

bool find_module(Address address, Module& module) {
  const FindObject find = find_object();
  FoundObject found;
  if (find == nullptr || find(reinterpret_cast<void*>(address), &found) != 0) return false;
  module = {.begin = reinterpret_cast<Address>(found.begin),
            .end = reinterpret_cast<Address>(found.end),
            .link_map = reinterpret_cast<Address>(found.link_map),
            .unwind_table = reinterpret_cast<Address>(found.unwind_table)};
  return true;
}

std::uint32_t modules_closed() {
  return closed.load(std::memory_order_relaxed);
}

void count_closed_module() {
  closed.fetch_add(1, std::memory_order_relaxed);
}

void forget_rules() {
  if (KnownRule* old = rules.exchange(nullptr))
    munmap(static_cast<void*>(old), sizeof(KnownRule) * kRules);
}

UnwindRule rule_of(Address address, Address evaluate) {
  KnownRule* known = rules.load(std::memory_order_acquire);
  const std::size_t place = place_of(address);
  if (known != nullptr) [[likely]] {
    for (std::size_t i = 0; i < kProbes; ++i) {
      const KnownRule& rule = known[(place + i) % kRules];
      const Address at = rule.address.load(std::memory_order_acquire);
      if (at == address) return {rule.rule.load(std::memory_order_acquire)};
      if (at == 0) break;
    }
  }
  StackTable* table = StackTable::take();
  if (table == nullptr) return {};
  if (known == nullptr) {
    void* room = mmap(nullptr, sizeof(KnownRule) * kRules, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room != MAP_FAILED) known = static_cast<KnownRule*>(room);
    rules.store(known, std::memory_order_release);
  }
  UnwindRule found;
  if (known != nullptr) {
    if (rules_of != modules_closed()) {
      rules_of = modules_closed();
      for (std::size_t i = 0; i < kRules; ++i) known[i].address.store(0, std::memory_order_relaxed);
    }
    found = look_up(address, evaluate, table->scratch(), StackTable::kScratch);
    for (std::size_t i = 0; i < kProbes; ++i) {
      KnownRule& rule = known[(place + i) % kRules];
      if (rule.address.load(std::memory_order_relaxed) != 0 && i + 1 < kProbes) continue;
      rule.address.store(0, std::memory_order_release);
      rule.rule.store(found.word, std::memory_order_release);
      rule.address.store(address, std::memory_order_release);
      break;
    }
  }
  table->give_back();
  return found;
}

}  // namespace tactus::agent

/// A library that goes away takes its addresses with it.
extern "C" __attribute__((visibility("default"))) int dlclose(void* library) {
  using Close = int (*)(void*);
  static std::atomic<void*> original = nullptr;
  void* close = original.load(std::memory_order_relaxed);
  if (close == nullptr) {
    close = tactus::agent::find_hidden("dlclose");
    original.store(close, std::memory_order_relaxed);
  }
  if (close == nullptr) return -1;
  // The handle is the loader's link_map; its third word points into the library.
  constexpr tactus::agent::Address kInside = 16;
  tactus::agent::Address inside = 0;
  tactus::agent::read_checked(reinterpret_cast<tactus::agent::Address>(library) + kInside, inside);
  const int result = reinterpret_cast<Close>(close)(library);
  // Most libraries stay: somebody else uses them.
  tactus::agent::Module module;
  if (!tactus::agent::find_module(inside, module)) tactus::agent::count_closed_module();
  return result;
}

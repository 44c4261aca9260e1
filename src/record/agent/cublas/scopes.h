#pragma once

#include "record/agent/hooks.h"
#include "wire/operators.h"

namespace tactus::agent {

/// The number of an operator with these shapes; kNoScope if there is no room.
std::uint32_t find_scope(const wire::Scope& scope);
/// For the child of a fork.
void forget_scopes();

/// Calls the library; launches inside belong to the operator.
template <class Call>
inline int in_scope(const wire::Scope& scope, Call&& call) {
  // Of many small products, as in attention, the rows are not the tokens.
  const GateProduct product(scope.batch > 1 ? 0 : wire::rows_of(scope));
  ThreadState* thread = recording_thread();
  // A library that calls itself is one operator.
  if (thread == nullptr || thread->scope != wire::kNoScope) return call();
  const std::uint32_t number = find_scope(scope);
  if (number == wire::kNoScope) return call();
  thread->scope = number;
  const std::uint64_t begin = wire::ticks();
  const int result = call();
  const std::uint64_t end = wire::ticks();
  // The call may have ended the recording of this thread.
  if (this_thread != thread) return result;
  thread->scope = wire::kNoScope;
  if (wire::Record* record = thread->next()) {
    record->begin_ticks = begin;
    record->took_ticks = end - begin;
    record->kind = wire::RecordKind::kOperator;
    record->flags = result != kSuccess ? wire::kFailed : 0;
    record->stream = 0;
    record->name = wire::kNoName;
    record->call = 0;
    for (std::uint64_t& word : record->words) word = 0;
    record->launch.scope = number;
    thread->publish();
  }
  return result;
}

/// The function of a library that a hook stands for. `caller` is an address in who called the hook:
/// the library may be visible from there only.
void* find_library_function(const char* name, const void* caller);

/// As replace_symbol and is_hook, for libraries.
void* replace_library_symbol(const char* symbol, void* found);
bool is_library_hook(const void* function);

}  // namespace tactus::agent

// The gate's words under the thread sanitizer: the gatekeeper's thread publishes, threads of a
// program launch and wait, all in one process and one mapping.
//   litmus [LAUNCHES]
#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <thread>
#include <vector>

#include "gate/gatekeeper.h"
#include "record/agent/agent.h"
#include "record/agent/gate/gate.h"
#include "record/agent/gate/gate_link.h"

namespace tactus::agent {

// What the gate needs of the rest of the agent: no driver, nothing is captured.
std::atomic<std::uint32_t> modules_unloaded = 0;
std::atomic<std::uint32_t> contexts_gone = 0;
std::atomic<std::int32_t> captures = 0;

std::uint64_t monotonic_ns() {
  return static_cast<std::uint64_t>(gate::monotonic_ns());
}
void* find_symbol(void*, const char*) {
  return nullptr;
}
const DriverCalls& driver_calls() {
  static const DriverCalls none{};
  return none;
}

}  // namespace tactus::agent

namespace {

using namespace tactus;

constexpr int kThreads = 4;

gate::Policy policy_of(gate::PolicyKind kind) {
  gate::Policy policy;
  policy.kind = kind;
  policy.classes = {"first", "second"};
  policy.rules = {{.name = "first", .kind = "graph"}, {.name = "second"}};
  policy.second = 1;
  policy.max_hold_ns = 2'000'000;
  policy.target_ns = 1'000'000;
  policy.hold_ns = 300'000;
  policy.every_ns = 600'000;
  policy.share = {0, 0.3};
  policy.depth = {0, 4};
  return policy;
}

/// Threads of both classes; how many launches were counted.
std::uint64_t launch_all(gate::PolicyKind kind, int launches) {
  const gate::Policy policy = policy_of(kind);
  auto control = gate::make_control(policy);
  auto bell = gate::make_bell();
  if (!control || !bell) std::exit(1);
  (*control)->slots[0] = wire::kMayBeHeld;
  auto* link = new agent::GateLink;
  // The gate unmaps it.
  void* room = mmap(nullptr, sizeof(wire::GateClient), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) std::exit(1);
  auto* client = new (room) wire::GateClient{};
  link->control = &**control;
  link->bell = &**bell;
  link->client = client;
  link->max_hold_ns = static_cast<std::uint64_t>(policy.max_hold_ns);
  link->rules = link->control->rules;
  link->ringing = link->control->ringing;
  link->timed = link->control->timed;
  for (std::uint32_t i = 0; i < link->rules; ++i) link->rule[i] = link->control->rule[i];
  std::uint64_t counted = 0;
  {
    gate::Clients clients;
    // Its memory is what the threads write.
    gate::Client one;
    one.memory = gate::SharedFile<const wire::GateClient>(File(), client);
    clients.add(std::move(one), **control);
    gate::Gatekeeper gatekeeper(policy, *control, *bell, clients, true);
    agent::joined.store(link);
    agent::gate_word.store(&link->control->word);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([t, launches] {
        for (int i = 0; i < launches; ++i) {
          agent::pass_gate(nullptr, nullptr, false, t % 2 == 0);
          if (i % 8 == 7) const agent::GateWait wait(true);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    agent::joined.store(nullptr);
    for (const wire::GateCounts& counts : client->counts) counted += counts.submitted.load();
  }
  return counted;
}

}  // namespace

int main(int argc, char** argv) {
  const int launches = argc > 1 ? std::atoi(argv[1]) : 2000;
  for (const gate::PolicyKind kind : {gate::PolicyKind::kPriority, gate::PolicyKind::kShare,
                                      gate::PolicyKind::kSlo, gate::PolicyKind::kWindow}) {
    const std::uint64_t counted = launch_all(kind, launches);
    std::printf("policy %d: %llu of %d launches were counted\n", static_cast<int>(kind),
                static_cast<unsigned long long>(counted), kThreads * launches);
    // A gate that is silent for 100 ms on a busy machine is left; nothing is counted from then on.
    if (counted > static_cast<std::uint64_t>(kThreads * launches)) return 1;
  }
}

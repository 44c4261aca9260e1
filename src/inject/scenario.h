#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "inject/dose.h"
#include "inject/machine.h"
#include "inject/pace.h"
#include "inject/request.h"

namespace tactus::inject {

/// What will be done, within which limits.
struct Plan {
  InjectRequest request;
  std::vector<int> cores;          ///< on which it may run; empty: any
  std::uint64_t memory_bytes = 0;  ///< at most
  std::uint64_t file_bytes = 0;    ///< at most
  double bytes_per_s = 0;          ///< at intensity 1; 0: as fast as it goes
  bool uses_gpu = false;           ///< a GPU's driver needs room that a limit would deny
  std::string text;                ///< what it does, in words
};

/// A load that can be put on the machine.
struct Scenario {
  std::string_view name;
  std::string_view what;   ///< what it does
  std::string_view moves;  ///< counters that should show it
  /// Works out limits; an error says why it is refused.
  Status (*plan)(const Machine& machine, Plan& plan);
  /// In the injector's own process: works until the pace is over. A problem goes into the dose.
  void (*run)(const Plan& plan, const Pace& pace, Dose& dose);
};
std::span<const Scenario> scenarios();
/// Null if there is none of that name.
const Scenario* find_scenario(std::string_view name);

/// What this version leaves out because it would need to change settings of the machine.
struct PrivilegedScenario {
  std::string_view name;
  std::string_view why;
};
std::span<const PrivilegedScenario> privileged_scenarios();

/// Checks a request against the machine as it is now; an error says why it is refused.
Result<Plan> make_plan(const InjectRequest& request, const Machine& machine);

// The scenarios, one file each.
Status plan_cpu(const Machine& machine, Plan& plan);
void run_cpu(const Plan& plan, const Pace& pace, Dose& dose);
Status plan_memory_bandwidth(const Machine& machine, Plan& plan);
void run_memory_bandwidth(const Plan& plan, const Pace& pace, Dose& dose);
Status plan_memory(const Machine& machine, Plan& plan);
void run_memory(const Plan& plan, const Pace& pace, Dose& dose);
Status plan_disk(const Machine& machine, Plan& plan);
void run_disk(const Plan& plan, const Pace& pace, Dose& dose);
Status plan_network(const Machine& machine, Plan& plan);
void run_network(const Plan& plan, const Pace& pace, Dose& dose);
Status plan_stall(const Machine& machine, Plan& plan);
void run_stall(const Plan& plan, const Pace& pace, Dose& dose);
Status plan_gpu_compute(const Machine& machine, Plan& plan);
void run_gpu_compute(const Plan& plan, const Pace& pace, Dose& dose);
Status plan_gpu_memory(const Machine& machine, Plan& plan);
void run_gpu_memory(const Plan& plan, const Pace& pace, Dose& dose);
Status plan_pcie(const Machine& machine, Plan& plan);
void run_pcie(const Plan& plan, const Pace& pace, Dose& dose);
Status plan_nvlink(const Machine& machine, Plan& plan);
void run_nvlink(const Plan& plan, const Pace& pace, Dose& dose);

/// The cores for busy threads: those asked for, else all but the first. With one core, that one.
Result<std::vector<int>> busy_cores(const Machine& machine, const InjectRequest& request);
/// Runs `work` in one thread per core, each kept on its core.
void on_each_core(const std::vector<int>& cores, const std::function<void(std::size_t)>& work);

}  // namespace tactus::inject

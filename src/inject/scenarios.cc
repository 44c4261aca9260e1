#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>

#include <array>
#include <thread>

#include "base/text.h"
#include "inject/scenario.h"

namespace tactus::inject {
namespace {

constexpr std::array kScenarios = {
    Scenario{"cpu", "busy threads that take a share of the cores",
             "host_cpu_foreign, runq_wait, cpu_pressure", plan_cpu, run_cpu},
    Scenario{"memory-bandwidth", "threads that copy through memory larger than the caches",
             "host_cpu_foreign; the bandwidth itself has no counter", plan_memory_bandwidth,
             run_memory_bandwidth},
    Scenario{"memory", "takes up to half of the free memory and keeps faulting it in",
             "memory_pressure, host memory in use", plan_memory, run_memory},
    Scenario{"disk", "writes, fsyncs and reads a temporary file of at most 1 GiB",
             "io_pressure, disk_util, disk_await, disk_write", plan_disk, run_disk},
    Scenario{"network", "sends bytes over 127.0.0.1", "net_rx_rate, net_tx_rate of lo",
             plan_network, run_network},
    Scenario{"stall", "stops a process of yours (--pid) for up to 100 ms of each 200 ms",
             "none; some steps take longer", plan_stall, run_stall},
    Scenario{"gpu-compute", "a kernel that computes on all SMs, for a share of the time",
             "gpu_foreign_usage, gpu_ctxsw_active", plan_gpu_compute, run_gpu_compute},
    Scenario{"gpu-memory", "allocates and frees up to a quarter of the free GPU memory",
             "gpu_mem_foreign", plan_gpu_memory, run_gpu_memory},
    Scenario{"pcie", "pinned copies to and from the GPU", "gpu_pcie_receive, gpu_pcie_transmit",
             plan_pcie, run_pcie},
    Scenario{"nvlink", "copies between two GPUs", "gpu_link_receive, gpu_link_transmit",
             plan_nvlink, run_nvlink},
};

constexpr std::array kPrivileged = {
    PrivilegedScenario{"cpu-frequency", "needs root and changes the governor of all cores"},
    PrivilegedScenario{"gpu-clock", "needs root and locks the clocks of a GPU"},
    PrivilegedScenario{"network-delay", "needs root and changes queues of a network device"},
};

}  // namespace

std::span<const Scenario> scenarios() {
  return kScenarios;
}

std::span<const PrivilegedScenario> privileged_scenarios() {
  return kPrivileged;
}

const Scenario* find_scenario(std::string_view name) {
  for (const Scenario& scenario : kScenarios) {
    if (scenario.name == name) return &scenario;
  }
  return nullptr;
}

Result<Plan> make_plan(const InjectRequest& request, const Machine& machine) {
  for (const PrivilegedScenario& scenario : kPrivileged) {
    if (scenario.name != request.scenario) continue;
    return usage_error(fmt::format("{}: is not built: it {}", request.scenario, scenario.why));
  }
  const Scenario* scenario = find_scenario(request.scenario);
  if (scenario == nullptr) {
    std::vector<std::string_view> names;
    for (const Scenario& known : kScenarios) names.push_back(known.name);
    const std::string_view close = nearest(request.scenario, names);
    return usage_error(fmt::format("{}: is not a scenario{} (see tactus inject --list)",
                                   request.scenario,
                                   close.empty() ? "" : fmt::format("; did you mean {}?", close)));
  }
  if (request.seconds > kLongest && !request.allow_long) {
    return usage_error(fmt::format("--seconds {:g}: more than {:g} s needs --allow-long",
                                   request.seconds, kLongest));
  }
  Plan plan;
  plan.request = request;
  if (Status status = scenario->plan(machine, plan); !status) {
    return Error{status.error().code,
                 fmt::format("{} is refused: {}", request.scenario, status.error().message)};
  }
  return plan;
}

Result<std::vector<int>> busy_cores(const Machine& machine, const InjectRequest& request) {
  const std::size_t all = machine.cores.size();
  if (request.cores && (*request.cores == 0 || *request.cores > all)) {
    return usage_error(fmt::format("--cores {}: there are {}", *request.cores, all));
  }
  const std::size_t wanted = request.cores.value_or(all > 1 ? all - 1 : all);
  return std::vector<int>(machine.cores.end() - static_cast<std::ptrdiff_t>(wanted),
                          machine.cores.end());
}

void on_each_core(const std::vector<int>& cores, const std::function<void(std::size_t)>& work) {
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < cores.size(); ++i) {
    threads.emplace_back([&, i] {
      cpu_set_t own;
      CPU_ZERO(&own);
      CPU_SET(cores[i], &own);
      ::pthread_setaffinity_np(::pthread_self(), sizeof own, &own);
      work(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace tactus::inject

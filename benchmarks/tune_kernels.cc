// Times several libraries of CUDA kernels side by side, without asking whether they are right: for
// the minutes of tuning between two runs of `tactus bench`, which asks.
//
//   tune_kernels OPERATOR[,OPERATOR...] LIBRARY.so [LIBRARY.so ...]
//
// A line a shape: its bytes, what a plain copy of them takes, then the median of each library [us].
// They take turns, so that what changes on the machine changes for all.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <thread>

#include "bench/candidate/kernel_library.h"
#include "bench/device/device.h"
#include "bench/timing/timing.h"
#include "bench/worker/tensor_copies.h"
#include "operators/definition.h"

using namespace tactus;

namespace {

constexpr std::int64_t kMostBytes = std::int64_t{3} << 29;
constexpr int kTurns = 8;
constexpr std::size_t kCallsATurn = 8;

int fail(const std::string& why) {
  fmt::print(stderr, "tune_kernels: {}\n", why);
  return 1;
}

/// The largest workspace that any of them asks for.
std::size_t workspace_of(const std::vector<const tactus_entry*>& entries, const tactus_call& call) {
  std::size_t most = 0;
  for (const tactus_entry* entry : entries) {
    if (entry == nullptr || entry->workspace_bytes == nullptr) continue;
    most = std::max(most, entry->workspace_bytes(&call));
  }
  return most;
}

std::string times_of(Device& device, const Problem& problem, const OperatorDefinition& definition,
                     const std::vector<const tactus_entry*>& entries) {
  const TensorLayout layout = layout_of(problem);
  std::vector<std::byte> host(layout.bytes + 256);
  void* aligned = host.data();
  std::size_t room = host.size();
  auto* block = static_cast<std::byte*>(std::align(256, layout.bytes, aligned, room));
  draw_tensors(definition, problem, tensors_at(problem, layout, block), 1,
               std::thread::hardware_concurrency());
  TensorCopies copies(device, problem, layout);
  BoundCall shape_only(problem, layout, nullptr);
  device.prepare(shape_only.call());
  const std::size_t bytes = workspace_of(entries, shape_only.call());
  std::vector<void*> given;
  if (bytes > 0) {
    const Result<void*> workspace = device.allocate(bytes);
    if (!workspace) return workspace.error().message;
    given.push_back(*workspace);
    copies.set_workspace(*workspace, bytes);
  }
  std::vector<const tactus_call*> calls;
  for (std::size_t i = 0; i < 2; ++i) {
    if (const Status added = copies.add(); !added) return added.error().message;
    given.push_back(copies[i].block());
    if (const Status in = device.copy_in(copies[i].block(), block, layout.bytes); !in) {
      return in.error().message;
    }
  }
  while (calls.size() < kCallsATurn) calls.push_back(&copies.next());
  std::vector<std::vector<double>> samples_ns(entries.size());
  std::vector<CallOutcome> outcomes(entries.size());
  for (int turn = 0; turn <= kTurns; ++turn) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (entries[i] == nullptr || outcomes[i].code != 0 || !outcomes[i].error.empty()) continue;
      outcomes[i] = device.time(*entries[i], calls, samples_ns[i]);
      if (turn == 0) samples_ns[i].clear();  // warming up
    }
  }
  std::string text;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (samples_ns[i].empty()) {
      text += fmt::format(" {:>9}", outcomes[i].error.empty() ? "-" : "error");
    } else {
      text += fmt::format(" {:9.2f}", median_interval(samples_ns[i]).median / 1e3);
    }
  }
  for (void* memory : given) device.release(memory);
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return fail("tune_kernels OPERATOR[,OPERATOR...] LIBRARY.so ...");
  const std::string wanted = "," + std::string(argv[1]) + ",";
  std::vector<KernelLibrary> libraries;
  for (int i = 2; i < argc; ++i) {
    Result<KernelLibrary> library = KernelLibrary::open(argv[i]);
    if (!library) return fail(library.error().message);
    libraries.push_back(std::move(*library));
  }
  Result<std::unique_ptr<Device>> device = make_cuda_device(0);
  if (!device) return fail(device.error().message);
  for (const Operator& op : built_in_catalogue().operators) {
    if (wanted.find("," + op.name + ",") == std::string::npos) continue;
    const Result<const OperatorDefinition*> definition = find_definition(op.name);
    if (!definition) return fail(definition.error().message);
    std::vector<const tactus_entry*> entries;
    for (const KernelLibrary& library : libraries) {
      entries.push_back(library.find(op.name, TACTUS_CUDA));
    }
    for (const Shape& shape : op.shapes) {
      const Result<Problem> problem = make_problem(**definition, shape.parameters);
      if (!problem || problem->bytes() > kMostBytes) continue;
      const auto bytes = static_cast<std::size_t>(problem->bytes());
      fmt::print("{:>28} {:>3} {:9.3f} MB {:9.2f} |{} | {}\n", op.name, shape.id,
                 static_cast<double>(bytes) / 1e6, (*device)->copy_ns(bytes).value_or(0) / 1e3,
                 times_of(**device, *problem, **definition, entries), shape.label);
      std::fflush(stdout);
    }
  }
  return 0;
}

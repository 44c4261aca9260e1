// Memory of an agent that was written by somebody else: the bytes go to the header, the names, the
// rings and the records.
#include <algorithm>
#include <cstring>
#include <memory>

#include "record/session/agent_memory.h"
#include "record/session/clocks.h"
#include "record/session/run_filler.h"
#include "support.h"

namespace {

/// Bytes from the input, then zeros.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}

  void copy_to(void* to, std::size_t bytes) {
    const std::size_t given = std::min(bytes, left_);
    std::memcpy(to, data_, given);
    data_ += given;
    left_ -= given;
  }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tactus;
  // Made once: most of it is never touched.
  static const auto memory = std::make_unique<wire::Data>();
  static const auto control = std::make_unique<wire::Control>();
  constexpr std::size_t kRecords = 64;
  Bytes bytes(data, size);
  bytes.copy_to(static_cast<void*>(&memory->rings[0]), sizeof memory->rings[0]);
  bytes.copy_to(static_cast<void*>(memory->records[0]), sizeof(wire::Record) * kRecords);
  bytes.copy_to(static_cast<void*>(memory->names), sizeof(wire::Name) * 8);
  bytes.copy_to(static_cast<void*>(memory->streams), sizeof(wire::Stream) * 8);
  bytes.copy_to(static_cast<void*>(&memory->header), sizeof memory->header);
  bytes.copy_to(memory->text, 64);
  bytes.copy_to(static_cast<void*>(memory->stacks.node), sizeof(wire::StackNode) * 16);
  bytes.copy_to(static_cast<void*>(memory->stacks.frame), sizeof(wire::Frame) * 16);
  bytes.copy_to(static_cast<void*>(memory->scopes.scope), sizeof(wire::Scope) * 8);
  bytes.copy_to(static_cast<void*>(memory->activities.records), sizeof(wire::Activity) * 16);

  record::AgentMemory agent(memory.get(), control.get());
  static const record::TickClock clock({{0, 0}, {1'000'000, 1'000'000}});
  RunBuilder builder;
  record::RunFiller filler(builder, clock, "host");
  const std::size_t process = filler.add_process(agent, 1, agent.command());
  std::vector<record::ThreadRecord> records;
  agent.drain(records, kRecords);
  for (const record::ThreadRecord& one : records) filler.add(process, agent, one);
  for (std::size_t i = 0; i < 16; ++i) filler.add(process, agent, memory->activities.records[i]);
  filler.update(process, agent);
  filler.count_losses();
  Run run = builder.finish();
  fuzz::use(run);
  return 0;
}

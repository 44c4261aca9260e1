#include "record/agent/stacks/stacks.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <new>

#include "record/agent/agent.h"
#include "record/agent/stacks/direct_readers.h"
#include "record/agent/stacks/engine_steps.h"
#include "record/agent/stacks/native_stack.h"
#include "record/agent/stacks/python_stack.h"
#include "record/agent/stacks/unwind_rules.h"

namespace tactus::agent {

/// What a thread needs to read its stacks.
struct StackReader {
  struct Known {
    std::uint64_t hash;
    std::uint64_t since_ticks;
    std::uint32_t stack;
    std::uint16_t step_depth;  ///< of the step function in `python`
    std::uint8_t engine;       ///< wire::Engine; 0: there is no step function
  };
  static constexpr std::size_t kKnown = 4096;

  DirectReader direct;
  OwnMemory memory;
  NativeStack native;
  PythonStack python;
  StepFollower steps;
  Known known[kKnown];
};

namespace {

/// Code objects come and go: what is known about one is looked at again from time to time.
constexpr std::uint64_t kTrustTicks = 20'000'000'000;  // some 10 s
constexpr std::uint64_t kDeeperKey = 2;

StackReader* make_reader() {
  void* room = mmap(nullptr, sizeof(StackReader), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return nullptr;
  auto* reader = new (room) StackReader;
  reader->memory.begin(reader->direct.take_place());
  return reader;
}

/// Puts the frames into the table, the outermost first. kNoStack if one cannot be read.
std::uint32_t find_stack(StackTable& table, StackReader& reader, const Python* python,
                         StackReader::Known& known) {
  std::uint32_t node = wire::kNoStack;
  const bool is_cut = reader.python.is_cut || reader.native.is_cut;
  if (is_cut) {
    std::uint32_t deeper = table.find_frame(kDeeperKey);
    if (deeper == 0) deeper = table.add_frame(kDeeperKey, {.kind = wire::FrameKind::kDeeper});
    if (deeper != 0) node = table.node(node, deeper);
  }
  for (std::uint32_t i = reader.python.depth; i-- > 0;) {
    std::uint8_t step = 0;
    const std::uint32_t frame =
        frame_of(*python, table, reader.python.code[i], reader.python.instruction[i], step);
    if (frame == 0) return wire::kNoStack;
    if (step != 0) {
      known.engine = step;
      known.step_depth = static_cast<std::uint16_t>(i);
    }
    node = table.node(node, frame);
    if (node == wire::kNoStack) return node;
  }
  for (std::uint32_t i = reader.native.depth; i-- > 0;) {
    const std::uint32_t frame = frame_of(table, reader.native.address[i]);
    if (frame == 0) continue;
    node = table.node(node, frame);
    if (node == wire::kNoStack) return node;
  }
  return node;
}

void write_step(ThreadState& thread, const wire::EngineStepPart& step, std::uint64_t begin) {
  wire::Record* record = thread.next();
  if (record == nullptr) return;
  record->begin_ticks = begin;
  record->took_ticks = 0;
  record->kind = wire::RecordKind::kEngineStep;
  record->flags = 0;
  record->stream = 0;
  record->name = wire::kNoName;
  record->call = 0;
  record->step = step;
  thread.publish();
}

/// Reads the frames of the thread.
const Python* read_frames(StackReader& reader, std::uint32_t wishes) {
  wire::StackArea& area = data()->stacks;
  const Python* python = (wishes & wire::kPythonStacks) != 0 ? find_python(area) : nullptr;
  reader.python.depth = 0;
  reader.python.is_cut = false;
  reader.python.hash = 0;
  reader.native.clear();
  if (reader.direct.has_place()) reader.direct.begin();
  const bool is_read =
      python == nullptr || read_python_stack(*python, reader.memory, reader.python);
  if (reader.direct.has_place()) reader.direct.end();
  if (!is_read) {
    area.unreadable.fetch_add(1, std::memory_order_relaxed);
    reader.memory.forget_pages();
    reader.python.depth = 0;
  }
  if ((wishes & wire::kNativeStacks) != 0) {
    reader.native.read(reader.python.depth != 0 ? python->evaluate : 0);
  }
  return python;
}

/// What is known about the stack that was read; null if nothing.
const StackReader::Known* look_up(StackReader& reader, const Python* python) {
  if (reader.python.depth == 0 && reader.native.depth == 0) return nullptr;
  const std::uint64_t hash = mix(reader.python.hash, reader.native.hash) | 1;
  StackReader::Known& known = reader.known[hash >> 8 & (StackReader::kKnown - 1)];
  const std::uint64_t now = wire::ticks();
  if (known.hash == hash && now - known.since_ticks < kTrustTicks) [[likely]]
    return &known;
  StackTable* table = StackTable::take();
  if (table == nullptr) return nullptr;
  const int saved_errno = errno;
  StackReader::Known found{.hash = hash, .since_ticks = now};
  found.stack = find_stack(*table, reader, python, found);
  table->give_back();
  errno = saved_errno;
  if (found.stack == wire::kNoStack) return nullptr;
  known = found;
  return &known;
}

}  // namespace

StackFound stack_of(ThreadState& thread, std::uint32_t wishes, bool waits, std::uint64_t begin) {
  // A signal handler that launches while this thread reads its stack has no stack.
  if (thread.reads_stack) return {};
  if (thread.stacks == nullptr) thread.stacks = make_reader();
  StackReader* reader = thread.stacks;
  if (reader == nullptr) return {};
  thread.reads_stack = true;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  const Python* python = read_frames(*reader, wishes);
  StackFound found;
  if (const StackReader::Known* known = look_up(*reader, python)) {
    found.stack = known->stack;
    if (known->engine != 0) {
      found.is_in_step = true;
      wire::EngineStepPart step;
      if (!waits &&
          reader->steps.follow(*python, reader->direct, reader->memory, reader->python,
                               known->step_depth, static_cast<wire::Engine>(known->engine), step)) {
        write_step(thread, step, begin);
      }
    } else if (!waits) {
      reader->steps.leave();
    }
  }
  if (waits) reader->steps.wait();
  std::atomic_signal_fence(std::memory_order_seq_cst);
  thread.reads_stack = false;
  return found;
}

void release(StackReader* reader) {
  if (reader == nullptr) return;
  reader->direct.leave_place();
  munmap(static_cast<void*>(reader), sizeof(StackReader));
}

void forget_stacks() {
  StackTable::forget();
  forget_python();
  forget_rules();
  forget_pid();
  forget_direct_readers();
}

}  // namespace tactus::agent

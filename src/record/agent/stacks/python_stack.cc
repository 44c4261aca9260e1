#include "record/agent/stacks/python_stack.h"

#include <cstring>

#include "record/agent/agent.h"
#include "record/agent/names.h"
#include "record/agent/stacks/engine_steps.h"
#include "wire/line_table.h"

namespace tactus::agent {
namespace {

constexpr std::uint8_t kOwnedByCStack = 3;  // since 3.12: not a function, but where C called Python
constexpr std::uint32_t kPython312 = 0x030c;
constexpr std::uint32_t kMostFrameBytes = 128;
constexpr std::uint32_t kMostCodeBytes = 256;
constexpr std::size_t kLongestText = 1000;
/// Code objects that could not be read before the first that could.
constexpr std::uint32_t kTrustEndsAt = 32;

template <class T>
T get(const unsigned char* bytes, std::uint32_t offset) {
  T value;
  std::memcpy(&value, bytes + offset, sizeof value);
  return value;
}

/// The innermost frame; 0 if there is none.
bool first_frame(const Python& python, OwnMemory& memory, Address thread, Address& frame) {
  const auto& at = python.layout.thread;
  if (at.cframe == 0) return memory.read(thread + at.frame, frame);
  Address cframe = 0;
  if (!memory.read(thread + at.cframe, cframe)) return false;
  if (cframe == 0) return true;
  return memory.read(cframe + at.cframe_frame, frame);
}

/// Frames lie one behind the other in a chunk of memory: the kernel is asked once for all.
void copy_frames(const Python& python, OwnMemory& memory, Address thread) {
  memory.drop_window();
  const auto& at = python.layout.thread;
  if (at.chunk == 0) return;
  Address chunk_and_top[2] = {};
  if (at.chunk_top != at.chunk + 8 || !read_checked(thread + at.chunk, chunk_and_top)) return;
  const auto [chunk, top] = chunk_and_top;
  constexpr Address kMost = 12288;
  if (chunk == 0 || top <= chunk) return;
  const Address from = top - chunk > kMost ? top - kMost : chunk;
  memory.copy_window(from, top - from);
}

/// Reads a table of lines piece by piece: the decoder stops at the entry that it looks for.
std::int32_t find_line(const Python& python, StackTable& known_table, const KnownCode& known,
                       std::int64_t offset) {
  unsigned char* table = known_table.scratch();
  std::uint64_t head[3] = {};  // count, type, size
  if (!read_checked(known.lines, head) || head[1] != python.bytes_type) return 0;
  const std::size_t size =
      head[2] < StackTable::kScratch ? static_cast<std::size_t>(head[2]) : StackTable::kScratch;
  if (offset < 0 || offset > INT32_MAX) return 0;
  if (size == 0 || !read_checked(known.lines + python.layout.bytes_text, table, size)) return 0;
  const auto decode =
      python.layout.version == 0x030a ? wire::line_of_pairs : wire::line_of_locations;
  return decode(table, size, known.first_line, static_cast<std::int32_t>(offset));
}

/// Reads what does not change about a code object. False if it is none.
bool read_code(const Python& python, StackTable& table, Address code, KnownCode& known) {
  const auto& at = python.layout.code;
  unsigned char bytes[kMostCodeBytes];
  if (code % 8 != 0 || !read_checked(code, bytes, at.bytes)) return false;
  if (get<Address>(bytes, 8) != python.code_type) return false;
  const auto file = get<Address>(bytes, at.file);
  const auto name = get<Address>(bytes, at.name);
  const auto lines = get<Address>(bytes, at.lines);
  const auto first = get<std::int32_t>(bytes, at.first_line);
  if (known.code == code && known.file_text == file && known.name_text == name &&
      known.lines == lines && known.first_line == first) {
    return true;
  }
  // Three parts of the scratch memory; the third is for texts that are not ASCII.
  constexpr std::size_t kPart = kLongestText * 4;
  auto* text = reinterpret_cast<char*>(table.scratch());
  const std::size_t file_length = read_text(python, file, text, kPart, table.scratch() + 2 * kPart);
  if (file_length == 0) return false;
  known.file = table.text(text, file_length);
  char* function = text + kPart;
  const std::size_t name_length =
      read_text(python, name, function, kPart, table.scratch() + 2 * kPart);
  if (name_length == 0) return false;
  known.function = table.text(function, name_length);
  known.code = code;
  known.file_text = file;
  known.name_text = name;
  known.lines = lines;
  known.first_line = first;
  known.generation = table.next_generation();
  known.step = step_function(text, file_length, function, name_length);
  return true;
}

}  // namespace

std::size_t read_text(const Python& python, Address text, char* to, std::size_t room,
                      unsigned char* wide) {
  const auto& at = python.layout.text;
  unsigned char head[40];
  if (text % 8 != 0 || !read_checked(text, head) || get<Address>(head, 8) != python.text_type)
    return 0;
  const auto state = get<std::uint32_t>(head, at.state);
  const unsigned kind = state >> 2 & 7;
  const bool is_compact = (state >> 5 & 1) != 0;
  const bool is_ascii = (state >> 6 & 1) != 0;
  auto length = get<std::uint64_t>(head, at.length);
  if (!is_compact || (kind != 1 && kind != 2 && kind != 4) || length == 0) return 0;
  length = length < kLongestText ? length : kLongestText;
  if (is_ascii) {
    length = length < room ? length : room;
    return read_checked(text + at.ascii_text, to, length) ? length : 0;
  }
  if (!read_checked(text + at.other_text, wide, length * kind)) return 0;
  std::size_t used = 0;
  for (std::uint64_t i = 0; i < length && used + 4 <= room; ++i) {
    std::uint32_t c = wide[i * kind];
    if (kind == 2) c = get<std::uint16_t>(wide, static_cast<std::uint32_t>(i * 2));
    if (kind == 4) c = get<std::uint32_t>(wide, static_cast<std::uint32_t>(i * 4));
    if (c < 0x80) {
      to[used++] = static_cast<char>(c);
    } else if (c < 0x800) {
      to[used++] = static_cast<char>(0xc0 | c >> 6);
      to[used++] = static_cast<char>(0x80 | (c & 63));
    } else if (c < 0x10000) {
      to[used++] = static_cast<char>(0xe0 | c >> 12);
      to[used++] = static_cast<char>(0x80 | (c >> 6 & 63));
      to[used++] = static_cast<char>(0x80 | (c & 63));
    } else {
      to[used++] = static_cast<char>(0xf0 | (c >> 18 & 7));
      to[used++] = static_cast<char>(0x80 | (c >> 12 & 63));
      to[used++] = static_cast<char>(0x80 | (c >> 6 & 63));
      to[used++] = static_cast<char>(0x80 | (c & 63));
    }
  }
  return used;
}

bool read_python_stack(const Python& python, OwnMemory& memory, PythonStack& stack) {
  stack.depth = 0;
  stack.is_cut = false;
  stack.hash = 0;
  if (python.is_finalizing() != 0) return true;
  const auto thread = reinterpret_cast<Address>(python.this_thread());
  if (thread == 0) return true;
  if (!memory.reads_directly()) copy_frames(python, memory, thread);
  Address frame = 0;
  if (!first_frame(python, memory, thread, frame)) return false;
  const auto& at = python.layout.frame;
  const bool has_owner = python.layout.version >= kPython312;
  const bool has_numbers = python.layout.version == 0x030a;
  std::uint64_t hash = 1;
  unsigned char bytes[kMostFrameBytes];
  // Frames between that are no functions count, too: a loop in damaged memory comes to an end.
  for (std::uint32_t seen = 0; frame != 0; ++seen) {
    if (seen >= 2 * wire::kDeepestStack || stack.depth == wire::kDeepestStack) {
      stack.is_cut = true;
      break;
    }
    if (frame % 8 != 0 || !memory.read(frame, bytes, at.bytes)) return false;
    const auto caller = get<Address>(bytes, at.caller);
    if (!has_owner || bytes[at.owner] != kOwnedByCStack) {
      const std::uint32_t i = stack.depth++;
      stack.frame[i] = frame;
      stack.code[i] = get<Address>(bytes, at.code);
      stack.instruction[i] = has_numbers ? get<std::uint32_t>(bytes, at.instruction)
                                         : get<std::uint64_t>(bytes, at.instruction);
      hash = mix(mix(hash, stack.code[i]), stack.instruction[i]);
    }
    frame = caller;
  }
  stack.hash = hash;
  return true;
}

std::uint32_t frame_of(const Python& python, StackTable& table, Address code,
                       std::uint64_t instruction, std::uint8_t& step) {
  static std::uint32_t failed = 0;  // guarded by the StackTable, as the next
  static bool has_worked = false;
  KnownCode& known = table.code(code);
  if (!read_code(python, table, code, known)) {
    data()->stacks.unreadable.fetch_add(1, std::memory_order_relaxed);
    if (!has_worked && ++failed == kTrustEndsAt) distrust_python(data()->stacks);
    return 0;
  }
  has_worked = true;
  data()->stacks.python.store(wire::PythonState::kReads, std::memory_order_relaxed);
  step = known.step;
  const std::uint64_t key = mix(mix(known.generation, code), instruction);
  if (const std::uint32_t frame = table.find_frame(key)) return frame;
  const auto start = static_cast<std::int64_t>(code + python.layout.code.instructions);
  const std::int64_t offset = python.layout.version == 0x030a
                                  ? static_cast<std::int64_t>(instruction) * 2
                                  : static_cast<std::int64_t>(instruction) - start;
  return table.add_frame(
      key, {.file = known.file,
            .function = known.function,
            .line = static_cast<std::uint32_t>(find_line(python, table, known, offset)),
            .kind = wire::FrameKind::kPython,
            .address = 0});
}

}  // namespace tactus::agent

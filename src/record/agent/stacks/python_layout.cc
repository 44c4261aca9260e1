#include "record/agent/stacks/python_layout.h"

#include <dlfcn.h>

#include <atomic>
#include <cstring>

#include "record/agent/driver.h"

namespace tactus::agent {
namespace {

constexpr std::uint32_t kPython310 = 0x030a;
constexpr std::uint32_t kPython313 = 0x030d;

// From the headers of each version, for processors of 64 bits.
constexpr PythonLayout kLayouts[] = {
    {.version = kPython310,
     .thread = {.frame = 24, .cframe = 0, .cframe_frame = 0, .chunk = 0, .chunk_top = 0},
     .frame =
         {.bytes = 104, .code = 32, .caller = 24, .instruction = 96, .owner = 0, .locals = 352},
     .code = {.bytes = 128,
              .file = 104,
              .name = 112,
              .lines = 120,
              .first_line = 40,
              .argument_count = 16,
              .variable_names = 72,
              .instructions = 48},
     .text = {.length = 16, .state = 32, .ascii_text = 48, .other_text = 72},
     .bytes_text = 32},
    {.version = 0x030b,
     .thread = {.frame = 0, .cframe = 56, .cframe_frame = 8, .chunk = 296, .chunk_top = 304},
     .frame = {.bytes = 72, .code = 32, .caller = 48, .instruction = 56, .owner = 69, .locals = 72},
     .code = {.bytes = 144,
              .file = 112,
              .name = 128,
              .lines = 136,
              .first_line = 72,
              .argument_count = 56,
              .variable_names = 96,
              .instructions = 184},
     .text = {.length = 16, .state = 32, .ascii_text = 48, .other_text = 72},
     .bytes_text = 32},
    {.version = 0x030c,
     .thread = {.frame = 0, .cframe = 56, .cframe_frame = 0, .chunk = 232, .chunk_top = 240},
     .frame = {.bytes = 72, .code = 0, .caller = 8, .instruction = 56, .owner = 70, .locals = 72},
     .code = {.bytes = 144,
              .file = 112,
              .name = 128,
              .lines = 136,
              .first_line = 68,
              .argument_count = 52,
              .variable_names = 96,
              .instructions = 192},
     .text = {.length = 16, .state = 32, .ascii_text = 40, .other_text = 56},
     .bytes_text = 32},
    {.version = kPython313,
     .thread = {.frame = 72, .cframe = 0, .cframe_frame = 0, .chunk = 232, .chunk_top = 240},
     .frame = {.bytes = 72, .code = 0, .caller = 8, .instruction = 56, .owner = 70, .locals = 72},
     .code = {.bytes = 144,
              .file = 112,
              .name = 128,
              .lines = 136,
              .first_line = 68,
              .argument_count = 52,
              .variable_names = 96,
              .instructions = 200},
     .text = {.length = 16, .state = 32, .ascii_text = 40, .other_text = 56},
     .bytes_text = 32},
};

/// The head of _PyRuntime in 3.13: _Py_DebugOffsets, as far as it is used. Each group begins with
/// its size.
struct DebugOffsets {
  char cookie[8];
  std::uint64_t version, free_threaded;
  std::uint64_t runtime[3];
  std::uint64_t interpreter[13];
  std::uint64_t thread[9];  // .., 4: frame, .., 7: chunk
  std::uint64_t frame[6];   // 1: caller, 2: code, 3: instruction, 4: locals, 5: owner
  std::uint64_t code[10];   // 1: file, 2: name, 3: qualified name, 4: lines, 5: first line, 6:
                            // arguments, 7: variables, 9: instructions
};

constexpr std::uint64_t kFarthest = 1024;

/// Puts in what the runtime says about itself. False if it makes no sense.
bool read_offsets(PythonLayout& layout, Address runtime) {
  DebugOffsets given;
  if (!read_checked(runtime, given) || std::memcmp(given.cookie, "xdebugpy", 8) != 0) return false;
  const struct {
    std::uint32_t& to;
    std::uint64_t from;
  } pairs[] = {
      {layout.thread.frame, given.thread[4]},      {layout.thread.chunk, given.thread[7]},
      {layout.frame.caller, given.frame[1]},       {layout.frame.code, given.frame[2]},
      {layout.frame.instruction, given.frame[3]},  {layout.frame.locals, given.frame[4]},
      {layout.frame.owner, given.frame[5]},        {layout.code.file, given.code[1]},
      {layout.code.name, given.code[3]},           {layout.code.lines, given.code[4]},
      {layout.code.first_line, given.code[5]},     {layout.code.argument_count, given.code[6]},
      {layout.code.variable_names, given.code[7]}, {layout.code.instructions, given.code[9]},
  };
  for (const auto& [to, from] : pairs) {
    if (from > kFarthest) return false;
    to = static_cast<std::uint32_t>(from);
  }
  layout.thread.chunk_top = layout.thread.chunk + 8;
  // What is read at once has these fields in it.
  const auto& f = layout.frame;
  const auto& c = layout.code;
  return f.code + 8 <= f.bytes && f.caller + 8 <= f.bytes && f.instruction + 8 <= f.bytes &&
         f.owner < f.bytes && c.file + 8 <= c.bytes && c.name + 8 <= c.bytes &&
         c.lines + 8 <= c.bytes && c.first_line + 4 <= c.bytes && c.argument_count + 4 <= c.bytes &&
         c.variable_names + 8 <= c.bytes;
}

Address symbol(const char* name) {
  return reinterpret_cast<Address>(find_symbol(RTLD_DEFAULT, name));
}

/// 0: there is no Python.
std::uint32_t version_of_python() {
  std::uint64_t version = 0;
  if (const Address at = symbol("Py_Version"); at != 0 && read_checked(at, version)) {
    return static_cast<std::uint32_t>(version >> 16 & 0xffff);
  }
  // Before 3.11: a text, "3.10.13 (main, ...".
  const auto text_of = reinterpret_cast<const char* (*)()>(symbol("Py_GetVersion"));
  if (text_of == nullptr) return 0;
  return std::strncmp(text_of(), "3.10.", 5) == 0 ? kPython310 : 1;
}

Python python;
enum State : int { kNotLooked, kLooking, kThere, kNotThere };
std::atomic<int> state = kNotLooked;

bool look(wire::StackArea& area) {
  const std::uint32_t version = version_of_python();
  if (version == 0) return false;
  area.python_version = version;
  const PythonLayout* layout = nullptr;
  for (const PythonLayout& one : kLayouts) {
    if (one.version == version) layout = &one;
  }
  area.python = wire::PythonState::kOtherVersion;
  if (layout == nullptr) return false;
  python.layout = *layout;
  if (version == kPython313) {
    const Address runtime = symbol("_PyRuntime");
    std::uint64_t free_threaded = 0;
    if (read_checked(runtime + offsetof(DebugOffsets, free_threaded), free_threaded) &&
        free_threaded == 1) {
      area.python = wire::PythonState::kFreeThreaded;
      return false;
    }
    if (!read_offsets(python.layout, runtime)) return false;
  }
  python.this_thread = reinterpret_cast<void* (*)()>(symbol("PyGILState_GetThisThreadState"));
  python.is_finalizing = reinterpret_cast<int (*)()>(symbol("Py_IsFinalizing"));
  if (python.is_finalizing == nullptr) {
    python.is_finalizing = reinterpret_cast<int (*)()>(symbol("_Py_IsFinalizing"));
  }
  python.code_type = symbol("PyCode_Type");
  python.text_type = symbol("PyUnicode_Type");
  python.bytes_type = symbol("PyBytes_Type");
  python.int_type = symbol("PyLong_Type");
  python.list_type = symbol("PyList_Type");
  python.tuple_type = symbol("PyTuple_Type");
  python.dict_type = symbol("PyDict_Type");
  python.evaluate = symbol("_PyEval_EvalFrameDefault");
  if (python.this_thread == nullptr || python.is_finalizing == nullptr || python.code_type == 0 ||
      python.text_type == 0 || python.bytes_type == 0) {
    return false;
  }
  area.python = wire::PythonState::kNotSeen;
  return true;
}

}  // namespace

const Python* find_python(wire::StackArea& area) {
  const int now = state.load(std::memory_order_acquire);
  if (now == kThere) [[likely]]
    return &python;
  int expected = kNotLooked;
  if (now != kNotLooked || !state.compare_exchange_strong(expected, kLooking)) return nullptr;
  const bool found = look(area);
  state.store(found ? kThere : kNotThere, std::memory_order_release);
  return found ? &python : nullptr;
}

bool python_is_ending() {
  return state.load(std::memory_order_acquire) == kThere && python.is_finalizing() != 0;
}

void forget_python() {
  state = kNotLooked;
}

void distrust_python(wire::StackArea& area) {
  area.python = wire::PythonState::kSelfTestFailed;
  state = kNotThere;
}

}  // namespace tactus::agent

#pragma once

#include <cstdint>

#include "record/agent/stacks/checked_memory.h"
#include "wire/stacks.h"

namespace tactus::agent {

/// Where things are in the memory of one version of Python, in bytes.
struct PythonLayout {
  std::uint32_t version = 0;  ///< 0x030b: 3.11
  struct {
    std::uint32_t frame;         ///< of PyThreadState: the innermost frame, or
    std::uint32_t cframe;        ///< what points to it; 0: nothing between
    std::uint32_t cframe_frame;  ///< of that
    std::uint32_t chunk;         ///< the memory that frames are taken from; 0: frames are objects
    std::uint32_t chunk_top;
  } thread;
  struct {
    std::uint32_t bytes;  ///< how much of a frame to read
    std::uint32_t code, caller, instruction, owner, locals;
  } frame;
  struct {
    std::uint32_t bytes;
    std::uint32_t file, name, lines, first_line, argument_count, variable_names;
    std::uint32_t instructions;  ///< 3.10: of an object that has them
  } code;
  struct {
    std::uint32_t length, state, ascii_text, other_text;
  } text;
  std::uint32_t bytes_text;
};

/// What is found in the program, once.
struct Python {
  PythonLayout layout;
  void* (*this_thread)();  ///< PyGILState_GetThisThreadState: needs no lock
  int (*is_finalizing)();
  Address code_type, text_type, bytes_type;
  Address int_type, list_type, tuple_type, dict_type;
  Address evaluate;  ///< the function that runs frames; 0: unknown
};

/// Null if the program has no Python whose frames can be read; the area says why.
const Python* find_python(wire::StackArea& area);
/// True from the moment when Python begins to take its memory apart.
bool python_is_ending();
/// For the child of a fork, whose area is new.
void forget_python();
/// From now on, there is none: what it has is not what was expected.
void distrust_python(wire::StackArea& area);

}  // namespace tactus::agent

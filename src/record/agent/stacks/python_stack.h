#pragma once

#include <cstdint>

#include "record/agent/stacks/python_layout.h"
#include "record/agent/stacks/stack_table.h"

namespace tactus::agent {

/// The frames of a thread's Python at one moment, the innermost first.
struct PythonStack {
  std::uint32_t depth = 0;
  bool is_cut = false;     ///< there are more
  std::uint64_t hash = 0;  ///< of all that follows
  Address code[wire::kDeepestStack];
  std::uint64_t instruction[wire::kDeepestStack];  ///< address; 3.10: number
  Address frame[wire::kDeepestStack];
};

/// Reads them without taking the lock of Python: a thread that is in a call of the driver does not
/// change them. False if a pointer led nowhere; no frames at all if the thread runs no Python.
bool read_python_stack(const Python& python, OwnMemory& memory, PythonStack& stack);

/// The number of a frame: file, function and the line that runs. 0 if it cannot be read.
/// `step`: see KnownCode.
std::uint32_t frame_of(const Python& python, StackTable& table, Address code,
                       std::uint64_t instruction, std::uint8_t& step);

/// Reads a text into `to` as UTF-8; its length, 0 if it is none. `wide`: 4000 bytes to work in.
std::size_t read_text(const Python& python, Address text, char* to, std::size_t room,
                      unsigned char* wide);

}  // namespace tactus::agent

#pragma once

#include <cstddef>
#include <string_view>

/// Puts a file of data/ into the program, byte for byte, and defines a function that returns it:
///
///     TACTUS_EMBED(embedded_operators_json, "operators.json");
///     std::string_view text = embedded_operators_json();
///
/// Use it in a .cc, inside a namespace; the header declares `std::string_view name();`. The
/// assembler reads the file, so even a large file costs no compile time. src/CMakeLists.txt must
/// say `tactus_embed(<this .cc> <file>...)`; then a changed file is compiled again. The bytes start
/// at a multiple of 64 and end with a zero that is not counted.
#define TACTUS_EMBED(name, file)                                                              \
  asm(".pushsection .rodata, \"a\", %progbits\n"                                              \
      ".balign 64\n"                                                                          \
      "tactus_" #name                                                                         \
      ":\n"                                                                                   \
      ".incbin \"" TACTUS_DATA_DIR "/" file                                                   \
      "\"\n"                                                                                  \
      "tactus_" #name                                                                         \
      "_end:\n"                                                                               \
      ".byte 0\n"                                                                             \
      ".popsection\n");                                                                       \
  /* Hidden: the symbols are local to this object file, no table of the loader knows them. */ \
  extern "C" __attribute__((visibility("hidden"))) const char tactus_##name[];                \
  extern "C" __attribute__((visibility("hidden"))) const char tactus_##name##_end[];          \
  std::string_view name() {                                                                   \
    return {tactus_##name, static_cast<std::size_t>(tactus_##name##_end - tactus_##name)};    \
  }                                                                                           \
  static_assert(true, "a semicolon follows")

#pragma once

#include <cxxabi.h>

#include <cstdlib>
#include <string>

namespace tactus::record {

/// A name as C++ has it in source code; others as they are.
inline std::string demangled(const char* name) {
  int status = 0;
  char* text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  // Short names of C are names of types, too: "f" is float.
  const bool is_function = name[0] == '_' && name[1] == 'Z';
  std::string found = is_function && status == 0 && text != nullptr ? text : name;
  std::free(text);
  return found;
}
inline std::string demangled(const std::string& name) {
  return demangled(name.c_str());
}

}  // namespace tactus::record

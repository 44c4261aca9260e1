#pragma once

#include <string_view>

namespace tactus::nsys {

/// True for a line that only a Python traceback has: its heading, or `File "x.py", line 3, in f`.
bool starts_traceback(std::string_view line);

/// True for a line that may follow in one: code, carets, or a line of the same rank's output.
bool continues_traceback(std::string_view line);

/// True for the line that ends one: `RuntimeError: out of memory`.
bool ends_traceback(std::string_view line);

}  // namespace tactus::nsys

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_MAX_NESTED_VALUES 16
// toml++ 3.3 has assertions that bad input makes false ("a = [}]"), and with NDEBUG the compiler
// relies on them. The code after each of those places reports the error, so the assertions are
// switched off.
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(expr) static_cast<void>(0)
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

#include "base/result.h"

// TOML from anybody: toml++ is kept from what makes it crash.
namespace tactus {

/// Ours have about 2 kB. The limit keeps a file of another kind from costing time or stack.
inline constexpr std::size_t kMostTomlBytes = std::size_t{64} << 10U;

/// The table of a text; an error names `path`, the line, and `kind` ("a hardware profile").
Result<toml::table> read_toml(std::string_view text, std::string_view path, std::string_view kind);

/// The text of a file, and no more of it than read_toml() takes.
Result<std::string> read_toml_text(const std::string& path, std::string_view kind);

}  // namespace tactus

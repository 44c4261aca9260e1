#include "bench/candidate/binding.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/json.h"

namespace tactus {
namespace {

namespace fs = std::filesystem;

struct NumberKind {
  std::string_view name;
  std::string_view c_type;
};
constexpr std::array<NumberKind, 6> kNumberKinds = {{{"i32", "int32_t"},
                                                     {"i64", "int64_t"},
                                                     {"u32", "uint32_t"},
                                                     {"u64", "uint64_t"},
                                                     {"f32", "float"},
                                                     {"f64", "double"}}};

bool is_name(std::string_view text) {
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  return !text.empty() && text.find_first_not_of(kLetters) == std::string_view::npos &&
         (text[0] < '0' || text[0] > '9');
}

bool is_constant(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789.eE+-") == std::string_view::npos;
}

/// One argument: its type and the expression that gives it.
struct Argument {
  std::string type;
  std::string value;
};

std::optional<Argument> argument_of(std::string_view text) {
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos) {
    if (text == "stream") return Argument{"void*", "call->stream"};
    if (text == "workspace") return Argument{"void*", "call->workspace"};
    if (!is_name(text)) return std::nullopt;
    return Argument{"void*", fmt::format("data_of(call, \"{}\")", text)};
  }
  const std::string_view what = text.substr(space + 1);
  for (const NumberKind& kind : kNumberKinds) {
    if (kind.name != text.substr(0, space)) continue;
    const std::string type(kind.c_type);
    const std::size_t shape = what.find(".shape[");
    if (shape != std::string_view::npos) {
      const std::string_view number = what.substr(shape + 7);
      const bool right = is_name(what.substr(0, shape)) && number.size() == 2 && number[1] == ']' &&
                         number[0] >= '0' && number[0] <= '9';
      if (!right) return std::nullopt;
      return Argument{type, fmt::format("({})size_of(call, \"{}\", {})", type,
                                        what.substr(0, shape), number[0])};
    }
    if (is_constant(what)) return Argument{type, fmt::format("({})({})", type, what)};
    if (!is_name(what)) return std::nullopt;
    return Argument{type, fmt::format("({})tactus_value(call, \"{}\", 0)", type, what)};
  }
  return std::nullopt;
}

constexpr std::string_view kBindingHead = R"(#include <dlfcn.h>
#include <unistd.h>

#include "tactus/operator.h"

static void* data_of(const tactus_call* call, const char* name) {
  const tactus_tensor* tensor = tactus_output(call, name);
  if (tensor == NULL) tensor = tactus_input(call, name);
  return tensor == NULL ? NULL : tensor->data;
}

static int64_t size_of(const tactus_call* call, const char* name, int dimension) {
  const tactus_tensor* tensor = tactus_input(call, name);
  if (tensor == NULL) tensor = tactus_output(call, name);
  return tensor == NULL || dimension >= tensor->rank ? 0 : tensor->shape[dimension];
}
)";

/// A C string.
std::string c_text(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

Result<std::string> function_of(const std::string& file, const Json& given, std::size_t index) {
  const std::string name = given.is_object() ? given.text_at("name") : "";
  const auto fail = [&](std::string_view what) {
    return input_error(fmt::format("{}: operator {} ({}): {}", file, index, name, what));
  };
  if (!is_name(name)) return fail("it needs a \"name\"");
  const std::string symbol = given.text_at("symbol");
  const std::string said = given.text_at("returns");
  const std::string returns = said.empty() ? "void" : said;
  if (!is_name(symbol)) return fail("it needs a \"symbol\"");
  if (returns != "void" && returns != "int") return fail("\"returns\" is int or void");
  if (!given.contains("arguments") || !given["arguments"].is_array()) {
    return fail("it needs a list of \"arguments\"");
  }
  std::vector<std::string> types;
  std::vector<std::string> values;
  for (const Json& node : given["arguments"]) {
    const std::string text = node.is_string() ? node.get<std::string>() : "";
    const std::optional<Argument> argument = argument_of(text);
    if (!argument) {
      return fail(
          fmt::format("\"{}\" is no argument: give a tensor, stream, workspace, or a "
                      "number with its type (\"f32 eps\", \"i32 x.shape[0]\")",
                      text));
    }
    types.push_back(argument->type);
    values.push_back(argument->value);
  }
  return fmt::format(R"(
static int run{0}(const tactus_call* call) {{
  typedef {1} (*Function)({2});
  static Function function = (Function)symbol_of("{3}");
  if (function == NULL) return 127;
  {4}function({5});
  return {6};
}}
)",
                     index, returns, fmt::join(types, ", "), symbol,
                     returns == "int" ? "const int code = " : "", fmt::join(values, ", "),
                     returns == "int" ? "code" : "0");
}

}  // namespace

Result<std::string> source_of_binding(const std::string& path, tactus_device device) {
  std::ifstream opened(path, std::ios::binary);
  std::ostringstream read;
  read << opened.rdbuf();
  const Json binding = Json::parse(read.str());
  if (!binding.is_object()) {
    return input_error(fmt::format("{} is no binding: see docs/bench.md", path));
  }
  const std::string named = binding.text_at("library");
  const fs::path library = fs::absolute(fs::path(path)).parent_path() / named;
  std::error_code code;
  if (named.empty() || !fs::exists(library, code)) {
    return input_error(fmt::format("{}: no library \"{}\" beside it", path, named));
  }
  std::ifstream file(library, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  std::string text(kBindingHead);
  text += fmt::format(R"(
/* Another library is another candidate. */
TACTUS_VISIBLE extern const char content[] = "{:016x}";

static void* symbol_of(const char* name) {{
  static void* library = dlopen({}, RTLD_NOW | RTLD_LOCAL);
  void* symbol = library == NULL ? NULL : dlsym(library, name);
  const char* why = symbol == NULL ? dlerror() : NULL;
  if (why != NULL && write(2, why, strlen(why)) < 0) return NULL;
  return symbol;
}}
)",
                      hash_bytes(bytes.str()), c_text(library.lexically_normal().string()));
  const bool listed = binding.contains("operators") && binding["operators"].is_array();
  if (!listed || binding["operators"].empty()) {
    return input_error(fmt::format("{} has no \"operators\"", path));
  }
  std::string entries;
  std::size_t count = 0;
  for (const Json& given : binding["operators"]) {
    Result<std::string> function = function_of(path, given, count);
    if (!function) return function.error();
    text += *function;
    entries += fmt::format("{{\"{}\", {}, run{}, NULL}},", given.text_at("name"),
                           device == TACTUS_CUDA ? "TACTUS_CUDA" : "TACTUS_CPU", count++);
  }
  return text + fmt::format(R"(
static const tactus_entry entries[] = {{{}}};
static const tactus_library_v1 library = {{TACTUS_ABI_VERSION, sizeof(tactus_library_v1), "binding",
                                          entries, {}}};
TACTUS_EXPORT const tactus_library_v1* tactus_library(void) {{
  return &library;
}}
)",
                            entries, count);
}

}  // namespace tactus

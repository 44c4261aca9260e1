// A profile is checked key by key: a typing error in a hand-written
// file must not silently remove a peak.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "base/toml/toml_text.h"
#include "hardware/profile.h"
#include "hardware/toml_profile.h"

namespace tactus {
namespace {

using namespace toml_profile;

constexpr std::string_view kKind = "a hardware profile";

/// A rate below this was written without its exponent: 989.5 for 989.5e12.
constexpr double kSmallestRate = 1e6;

/// The name of a figure, the key of its number, and the smallest allowed number.
struct FigureForm {
  std::string_view unit;
  double at_least;
};
constexpr FigureForm kFlopsForm = {kFlops, kSmallestRate};
constexpr FigureForm kBandwidthForm = {kBytesPerSecond, kSmallestRate};
constexpr FigureForm kSizeForm = {kBytes, 1};
constexpr FigureForm kTimeForm = {kNanoseconds, 0};

std::string quoted(std::string_view text) {
  constexpr std::size_t kShown = 60;
  return '"' + std::string(text.substr(0, kShown)) + (text.size() > kShown ? "...\"" : "\"");
}

class ProfileReader {
 public:
  explicit ProfileReader(std::string_view path) : path_(path) {}

  Result<HardwareProfile> read(const toml::table& file) {
    constexpr std::array<std::string_view, 12> kKeys = {
        "name",   "variant", "arch", "device_names", "source", "date",
        "memory", "l2",      "link", "tensor",       "vector", "launch_floor"};
    const bool good = known_keys(file, "", kKeys) && text(file, "name", profile_.name) &&
                      text(file, "variant", profile_.variant) &&
                      text(file, "arch", profile_.arch) && text(file, "source", source_) &&
                      text(file, "date", date_) && device_names(file) && check_name(file) &&
                      memory(file) && l2(file) && link(file) &&
                      peaks(file, "tensor", profile_.tensor_flops) &&
                      peaks(file, "vector", profile_.vector_flops) &&
                      figure(file, "", "launch_floor", kTimeForm, profile_.launch_floor_ns);
    if (!good) return error_;
    return std::move(profile_);
  }

 private:
  bool fail(const toml::node& where, std::string message) {
    const auto line = where.source().begin.line;
    error_ = input_error(std::string(path_) + ": " +
                         (line > 0 ? "line " + std::to_string(line) + ": " : std::string()) +
                         std::move(message));
    return false;
  }

  bool known_keys(const toml::table& table, const std::string& name,
                  std::span<const std::string_view> keys) {
    for (const auto& [key, node] : table) {
      const std::string_view typed = key.str();
      if (std::find(keys.begin(), keys.end(), typed) != keys.end()) continue;
      const std::string_view near = nearest(typed, keys);
      std::string message = "unknown key " + quoted(typed);
      if (!name.empty()) message += " in [" + name + "]";
      if (!near.empty()) {
        message += "; did you mean " + quoted(near) + "?";
      } else {
        message += "; the known keys are ";
        for (const std::string_view known : keys) {
          message += std::string(known) + (known == keys.back() ? "" : ", ");
        }
      }
      return fail(node, std::move(message));
    }
    return true;
  }

  /// Does not change `into` if there is no such key.
  bool text(const toml::table& table, std::string_view key, std::string& into) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return true;
    const auto* value = node->as_string();
    if (value == nullptr) return fail(*node, std::string(key) + " must be a string in quotes");
    const std::string& found = value->get();
    for (const char c : found) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
        return fail(*node, std::string(key) + " must be one line of text");
      }
    }
    into = found;
    return true;
  }

  bool check_name(const toml::table& file) {
    if (file.get("name") == nullptr) {
      return fail(file, "no name; a profile starts with name = \"...\"");
    }
    if (profile_.name.empty()) return fail(*file.get("name"), "name is empty");
    return true;
  }

  bool device_names(const toml::table& file) {
    const toml::node* node = file.get("device_names");
    if (node == nullptr) return true;
    const toml::array* names = node->as_array();
    if (names == nullptr) {
      return fail(*node, "device_names must be a list: [\"NVIDIA H200\"]");
    }
    for (const toml::node& name : *names) {
      const auto* value = name.as_string();
      if (value == nullptr || value->get().empty()) {
        return fail(name, "device_names must be a list of strings, none of them empty");
      }
      profile_.device_names.push_back(value->get());
    }
    return true;
  }

  bool memory(const toml::table& file) {
    constexpr std::array<std::string_view, 2> kKeys = {"bandwidth", "size"};
    const toml::table* memory = nullptr;
    if (!section(file, "memory", memory)) return false;
    std::optional<Figure> bandwidth;
    if (memory != nullptr) {
      if (!known_keys(*memory, "memory", kKeys) ||
          !figure(*memory, "memory", "bandwidth", kBandwidthForm, bandwidth) ||
          !figure(*memory, "memory", "size", kSizeForm, profile_.memory_size)) {
        return false;
      }
    }
    if (!bandwidth) {
      return fail(memory != nullptr ? *memory : file,
                  "no memory bandwidth; write [memory] and bandwidth = { bytes_per_s = ... }");
    }
    profile_.memory_bandwidth = *std::move(bandwidth);
    return true;
  }

  bool l2(const toml::table& file) {
    constexpr std::array<std::string_view, 2> kKeys = {"bandwidth", "size"};
    const toml::table* l2 = nullptr;
    if (!section(file, "l2", l2)) return false;
    return l2 == nullptr ||
           (known_keys(*l2, "l2", kKeys) &&
            figure(*l2, "l2", "bandwidth", kBandwidthForm, profile_.l2_bandwidth) &&
            figure(*l2, "l2", "size", kSizeForm, profile_.l2_size));
  }

  bool link(const toml::table& file) {
    constexpr std::array<std::string_view, 1> kKeys = {"bandwidth"};
    const toml::table* link = nullptr;
    if (!section(file, "link", link)) return false;
    return link == nullptr ||
           (known_keys(*link, "link", kKeys) &&
            figure(*link, "link", "bandwidth", kBandwidthForm, profile_.link_bandwidth));
  }

  bool peaks(const toml::table& file, std::string_view engine,
             std::array<std::optional<Figure>, kNumberTypes>& into) {
    const toml::table* types = nullptr;
    if (!section(file, engine, types)) return false;
    if (types == nullptr) return true;
    std::array<std::string_view, kNumberTypes> names;
    for (std::size_t i = 0; i < names.size(); ++i) {
      names[i] = number_type_name(static_cast<NumberType>(i));
    }
    const std::string name(engine);
    if (!known_keys(*types, name, names)) return false;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!figure(*types, name, names[i], kFlopsForm, into[i])) return false;
    }
    return true;
  }

  /// `into` stays null if the file has no such section.
  bool section(const toml::table& file, std::string_view key, const toml::table*& into) {
    const toml::node* node = file.get(key);
    if (node == nullptr) return true;
    into = node->as_table();
    if (into != nullptr) return true;
    return fail(*node, std::string(key) + " must be a section: [" + std::string(key) + "]");
  }

  /// { flops = 989.5e12, source = "data sheet", date = "2024-11" }
  bool figure(const toml::table& table, const std::string& section, std::string_view key,
              const FigureForm& form, std::optional<Figure>& into) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return true;
    const std::string name = (section.empty() ? "" : section + ".") + std::string(key);
    const toml::table* parts = node->as_table();
    if (parts == nullptr) {
      return fail(*node, name + " must be written as { " + std::string(form.unit) +
                             R"( = ..., source = "...", date = "..." })");
    }
    const std::array<std::string_view, 3> keys = {form.unit, "source", "date"};
    if (!known_keys(*parts, name, keys)) return false;
    const toml::node* number = parts->get(form.unit);
    if (number == nullptr) {
      return fail(*parts, name + " has no " + std::string(form.unit));
    }
    const auto value = number->is_number() ? number->value<double>() : std::nullopt;
    if (!value) return fail(*number, name + ": " + std::string(form.unit) + " must be a number");
    if (!std::isfinite(*value) || *value <= 0) {
      return fail(*number, name + ": " + std::string(form.unit) +
                               " must be above 0; leave the line out if it is not known");
    }
    if (*value < form.at_least) {
      return fail(*number, name + ": " + std::string(form.unit) + " is too small; the unit is " +
                               std::string(form.unit) +
                               (form.at_least > 1 ? ", write 989.5e12 for 989.5 T" : ""));
    }
    Figure found = {.value = *value, .source = source_, .date = date_};
    if (!text(*parts, "source", found.source) || !text(*parts, "date", found.date)) return false;
    into = std::move(found);
    return true;
  }

  std::string_view path_;
  HardwareProfile profile_;
  std::string source_;  ///< of figures without their own
  std::string date_;
  Error error_;
};

}  // namespace

Result<HardwareProfile> read_hardware_profile(std::string_view text, std::string_view path) {
  const Result<toml::table> table = read_toml(text, path, kKind);
  if (!table) return table.error();
  return ProfileReader(path).read(*table);
}

Result<HardwareProfile> read_hardware_file(const std::string& path) {
  const Result<std::string> text = read_toml_text(path, kKind);
  if (!text) return text.error();
  return read_hardware_profile(*text, path);
}

}  // namespace tactus

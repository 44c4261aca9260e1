#include <array>
#include <charconv>

#include "base/utf8.h"
#include "hardware/profile.h"
#include "hardware/toml_profile.h"

namespace tactus {
namespace {

using namespace toml_profile;

std::string toml_string(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  bool repaired = false;
  std::string out = "\"";
  for (const char c : to_valid_utf8(text, repaired)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      out += "\\u00";
      out += kHex[byte >> 4U];
      out += kHex[byte & 15U];
    } else {
      out += c;
    }
  }
  return out + '"';
}

/// The fewest digits that read back as the same number.
std::string number(double value) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

void add_text(std::string& out, std::string_view key, std::string_view value) {
  if (!value.empty()) out += std::string(key) + " = " + toml_string(value) + '\n';
}

void add_figure(std::string& out, std::string_view key, std::string_view unit,
                const std::optional<Figure>& figure) {
  if (!figure) return;
  out += std::string(key) + " = { " + std::string(unit) + " = " + number(figure->value);
  if (!figure->source.empty()) out += ", source = " + toml_string(figure->source);
  if (!figure->date.empty()) out += ", date = " + toml_string(figure->date);
  out += " }\n";
}

void add_section(std::string& out, std::string_view name, const std::string& lines) {
  if (!lines.empty()) out += "\n[" + std::string(name) + "]\n" + lines;
}

std::string peaks(const std::array<std::optional<Figure>, kNumberTypes>& flops) {
  std::string lines;
  for (std::size_t i = 0; i < flops.size(); ++i) {
    add_figure(lines, number_type_name(static_cast<NumberType>(i)), kFlops, flops[i]);
  }
  return lines;
}

}  // namespace

std::string hardware_profile_text(const HardwareProfile& profile) {
  std::string out;
  add_text(out, "name", profile.name);
  add_text(out, "variant", profile.variant);
  add_text(out, "arch", profile.arch);
  if (!profile.device_names.empty()) {
    out += "device_names = [";
    for (const std::string& name : profile.device_names) {
      out += (&name == &profile.device_names.front() ? "" : ", ") + toml_string(name);
    }
    out += "]\n";
  }
  add_figure(out, "launch_floor", kNanoseconds, profile.launch_floor_ns);

  std::string memory;
  add_figure(memory, "bandwidth", kBytesPerSecond, profile.memory_bandwidth);
  add_figure(memory, "size", kBytes, profile.memory_size);
  add_section(out, "memory", memory);
  std::string l2;
  add_figure(l2, "size", kBytes, profile.l2_size);
  add_figure(l2, "bandwidth", kBytesPerSecond, profile.l2_bandwidth);
  add_section(out, "l2", l2);
  std::string link;
  add_figure(link, "bandwidth", kBytesPerSecond, profile.link_bandwidth);
  add_section(out, "link", link);
  add_section(out, "tensor", peaks(profile.tensor_flops));
  add_section(out, "vector", peaks(profile.vector_flops));
  return out;
}

}  // namespace tactus

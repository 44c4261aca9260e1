#include "hardware/profile.h"

#include <algorithm>
#include <cctype>

#include "base/embedded.h"
#include "base/text.h"

namespace tactus {
namespace {

#include "hardware/embedded_profiles.inc"  // made by src/CMakeLists.txt from data/hardware/*.toml

std::vector<HardwareProfile> read_built_in() {
  std::vector<HardwareProfile> profiles;
  for (const auto& text : kEmbeddedProfiles) {
    auto profile = read_hardware_profile(text(), "built-in hardware profile");
    CHECK(profile);
    profiles.push_back(*std::move(profile));
  }
  std::sort(profiles.begin(), profiles.end(),
            [](const HardwareProfile& a, const HardwareProfile& b) { return a.name < b.name; });
  return profiles;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// Old drivers leave the maker out: "A100-SXM4-80GB".
std::string without_maker(std::string_view device_name) {
  std::string name = lower(device_name);
  const auto is_space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!name.empty() && is_space(name.back())) name.pop_back();
  name.erase(name.begin(), std::find_if_not(name.begin(), name.end(), is_space));
  for (const std::string_view maker : {"nvidia ", "amd "}) {
    if (name.starts_with(maker)) name.erase(0, maker.size());
  }
  return name;
}

}  // namespace

HardwareProfile best_of(HardwareProfile first, const HardwareProfile& second) {
  const auto larger = [](std::optional<Figure>& mine, const std::optional<Figure>& other) {
    if (other && (!mine || other->value > mine->value)) mine = other;
  };
  for (std::size_t i = 0; i < first.tensor_flops.size(); ++i) {
    larger(first.tensor_flops[i], second.tensor_flops[i]);
    larger(first.vector_flops[i], second.vector_flops[i]);
  }
  if (second.memory_bandwidth.value > first.memory_bandwidth.value) {
    first.memory_bandwidth = second.memory_bandwidth;
  }
  larger(first.l2_bandwidth, second.l2_bandwidth);
  larger(first.link_bandwidth, second.link_bandwidth);
  const bool shorter =
      second.launch_floor_ns &&
      (!first.launch_floor_ns || second.launch_floor_ns->value < first.launch_floor_ns->value);
  if (shorter) first.launch_floor_ns = second.launch_floor_ns;
  return first;
}

std::optional<double> HardwareProfile::peak(Engine engine, NumberType type) const {
  const auto& flops = engine == Engine::kTensor ? tensor_flops : vector_flops;
  const auto& figure = flops[static_cast<std::size_t>(type)];
  return figure ? std::optional(figure->value) : std::nullopt;
}

std::span<const HardwareProfile> built_in_hardware() {
  static const std::vector<HardwareProfile> profiles = read_built_in();
  return profiles;
}

Result<const HardwareProfile*> find_hardware(std::string_view name) {
  const std::string wanted = lower(name);
  std::vector<std::string> names;
  std::string list;
  for (const HardwareProfile& profile : built_in_hardware()) {
    if (lower(profile.name) == wanted) return &profile;
    names.push_back(lower(profile.name));
    list += (list.empty() ? "" : ", ") + profile.name;
  }
  const std::vector<std::string_view> words(names.begin(), names.end());
  const std::string_view near = nearest(wanted, words);
  std::string hint = ".";
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (near == words[i]) hint = "; did you mean " + built_in_hardware()[i].name + '?';
  }
  return usage_error("no hardware profile is called \"" + std::string(name) + '"' + hint +
                     " There are " + list +
                     ", host and cuda (measured here), and any TOML file (docs/hardware.md)");
}

const HardwareProfile* hardware_of_device(std::string_view device_name) {
  const std::string wanted = without_maker(device_name);
  for (const HardwareProfile& profile : built_in_hardware()) {
    for (const std::string& name : profile.device_names) {
      if (without_maker(name) == wanted) return &profile;
    }
  }
  return nullptr;
}

}  // namespace tactus

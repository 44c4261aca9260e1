#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalogue/number_type.h"

namespace tactus {

/// The units that compute: the matrix units or the vector units.
enum class Engine : std::uint8_t { kTensor, kVector };

/// A figure about a machine, and its source.
struct Figure {
  double value = 0;
  std::string source;
  std::string date;  ///< as written: "2024-11"
};

/// The limits of a machine. Rates are dense and SI.
struct HardwareProfile {
  std::string name;                       ///< "H200"
  std::string variant;                    ///< which variant: "SXM5, 141 GB HBM3e"
  std::string arch;                       ///< "sm_90"; may be empty
  std::vector<std::string> device_names;  ///< as drivers report it: "NVIDIA H200"
  std::array<std::optional<Figure>, kNumberTypes> tensor_flops;  ///< [FLOP/s] by NumberType
  std::array<std::optional<Figure>, kNumberTypes> vector_flops;  ///< [FLOP/s] by NumberType
  Figure memory_bandwidth;                                       ///< [bytes/s]
  std::optional<Figure> memory_size;                             ///< [bytes]
  std::optional<Figure> l2_size;          ///< [bytes] of the last cache before memory
  std::optional<Figure> l2_bandwidth;     ///< [bytes/s]
  std::optional<Figure> link_bandwidth;   ///< [bytes/s] to other devices, in one direction
  std::optional<Figure> launch_floor_ns;  ///< of an empty kernel

  /// [FLOP/s], unknown if the machine has no such path.
  std::optional<double> peak(Engine engine, NumberType type) const;
};

/// Two measurements of the same figures: the better of each, because a disturbance only lowers it.
HardwareProfile best_of(HardwareProfile first, const HardwareProfile& second);

/// Reads a profile (TOML, docs/hardware.md); `path` is for messages. A missing bandwidth is an
/// error; a missing peak means that the machine has no such path.
Result<HardwareProfile> read_hardware_profile(std::string_view text, std::string_view path);
Result<HardwareProfile> read_hardware_file(const std::string& path);

/// In the form that read_hardware_profile reads; one line per figure.
std::string hardware_profile_text(const HardwareProfile& profile);

/// The profiles of data/hardware, by name.
std::span<const HardwareProfile> built_in_hardware();

/// A built-in profile by its name (any case), or an error that lists them and names the nearest.
Result<const HardwareProfile*> find_hardware(std::string_view name);

/// The profile of a device that a trace names: "NVIDIA H200", "NVIDIA H100 80GB HBM3"; null if none
/// fits. The whole name counts: an "NVIDIA H200 NVL" is slower than an "NVIDIA H200".
const HardwareProfile* hardware_of_device(std::string_view device_name);

}  // namespace tactus

#pragma once

#include <cstddef>

namespace runtime {

inline constexpr std::size_t kPropertiesBytes = 1008;  // cudaDeviceProp
inline constexpr std::size_t kNameAt = 0, kNameBytes = 256;
inline constexpr std::size_t kUuidAt = 256;
inline constexpr std::size_t kTotalMemoryAt = 288;

/// A field of cudaDeviceProp that is an attribute of the driver.
struct Property {
  std::size_t at;  ///< where in the struct (abi_check.cc)
  int attribute;   ///< CUdevice_attribute
  bool is_long;    ///< a size_t, else an int
};

inline constexpr Property kSharedPerBlock{296, 8, true};
inline constexpr Property kRegistersPerBlock{304, 12, false};
inline constexpr Property kWarpSize{308, 10, false};
inline constexpr Property kThreadsPerBlock{320, 1, false};
inline constexpr Property kBlockX{324, 2, false}, kBlockY{328, 3, false}, kBlockZ{332, 4, false};
inline constexpr Property kGridX{336, 5, false}, kGridY{340, 6, false}, kGridZ{344, 7, false};
inline constexpr Property kMajor{360, 75, false}, kMinor{364, 76, false};
inline constexpr Property kMultiprocessors{384, 16, false};
inline constexpr Property kIntegrated{388, 18, false};
inline constexpr Property kMapsHostMemory{392, 19, false};
inline constexpr Property kBus{568, 33, false};
inline constexpr Property kUnifiedAddressing{588, 41, false};
inline constexpr Property kMemoryBusBits{592, 37, false};
inline constexpr Property kLevel2Cache{596, 38, false};
inline constexpr Property kThreadsPerMultiprocessor{604, 39, false};
inline constexpr Property kSharedPerMultiprocessor{624, 81, true};
inline constexpr Property kRegistersPerMultiprocessor{632, 82, false};
inline constexpr Property kCooperativeLaunch{668, 95, false};
inline constexpr Property kSharedPerBlockOptIn{672, 97, true};

}  // namespace runtime

#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "names/kernel_name.h"

namespace tactus::names {

/// The parts of a word between its underscores, one after the other:
/// nvjet_tst_128x8_64x12 → nvjet, tst, 128x8, 64x12
class Pieces {
 public:
  explicit Pieces(std::string_view word) : rest_(word) {}

  /// False after the last.
  bool next(std::string_view& piece);

 private:
  std::string_view rest_;
  bool more_ = true;
};

/// The numbers of "128x64", "64x128x128" or "16x128x256x1".
struct Sizes {
  std::array<int, 4> value{};
  std::size_t count = 0;  ///< 0 if the text does not have that form
};
Sizes sizes_of(std::string_view text);

/// The number at the beginning of a text; removes it.
std::optional<int> take_number(std::string_view& text);

/// The text after a prefix, or nothing if the text does not begin with it.
std::optional<std::string_view> after(std::string_view text, std::string_view beginning);

inline Tile tile_of(const Sizes& sizes) {
  Tile tile{sizes.value[0], sizes.value[1], {}};
  if (sizes.count > 2) tile.k = sizes.value[2];
  return tile;
}

inline void set_dtype(KernelName& name, std::string_view dtype) {
  name.dtype_in = dtype;
  name.dtype_out = dtype;
}

}  // namespace tactus::names

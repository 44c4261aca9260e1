#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "record/live/live_picture.h"

namespace tactus {

enum class TopSort : unsigned char { kLaunches, kCallTime };

struct TopScreen {
  std::size_t columns = 80;
  std::size_t rows = 24;
  TopSort sort = TopSort::kLaunches;
  bool is_paused = false;
};

/// The lines of a screen: at most `rows`, each at most `columns` wide.
std::vector<std::string> top_screen(const record::LivePicture& picture, const TopScreen& screen);
/// The same in one line, for a log.
std::string top_line(const record::LivePicture& picture);
std::string top_json(const record::LivePicture& picture);

}  // namespace tactus

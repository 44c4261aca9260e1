#pragma once

#include <string>
#include <string_view>

namespace tactus::serve {

/// The text with paths of the machine cut to their last parts: "/home/me/sglang/srt/model.py(12)"
/// becomes "sglang/srt/model.py(12)", and a path below site-packages what is below it. The text may
/// be a JSON document.
std::string without_paths(std::string_view text);

}  // namespace tactus::serve

#pragma once

#include <string>

#include "record/session/session.h"
#include "record/window/ask_for_window.h"

namespace tactus {

/// What was recorded, and which command to type next; sentences in lines of at most `width`
/// characters (0: a readable width).
std::string show_recording(const record::RecordAccount& account, const std::string& output,
                           bool as_json, std::size_t width);

/// What came of full mode in somebody else's recording.
std::string show_window(const record::WindowAccount& account, bool as_json);

}  // namespace tactus

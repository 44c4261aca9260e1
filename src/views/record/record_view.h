#pragma once

#include <string>

#include "record/session/session.h"

namespace tactus {

/// What was recorded, and which command to type next.
std::string show_recording(const record::RecordAccount& account, const std::string& output,
                           bool as_json);

}  // namespace tactus

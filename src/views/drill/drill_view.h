#pragma once

#include <string>

#include "drill/drill.h"

namespace tactus {

std::string show_drill_text(const drill::DrillReport& report, std::size_t width);
std::string show_drill_markdown(const drill::DrillReport& report);
std::string show_drill_json(const drill::DrillReport& report);

}  // namespace tactus

#pragma once

#include <string>

#include "classic/classic_report.h"

namespace tactus {

/// The report's overview in words: what differs most, and the functions behind it.
std::string classic_findings(const ClassicReport& report);

}  // namespace tactus

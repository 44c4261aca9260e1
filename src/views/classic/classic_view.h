#pragma once

#include <span>
#include <string>

#include "classic/classic_report.h"
#include "classic/roles/roles.h"

namespace tactus {

/// The report of two roles as its readers know it.
std::string classic_csv(const ClassicReport& report);
std::string classic_markdown(const ClassicReport& report);

/// Clusters, outliers and pairs as Markdown; with the pairs' reports, or without.
std::string roles_markdown(const RolesComparison& comparison);
std::string roles_overview(const RolesComparison& comparison);
/// The same as a document, with what was dropped from their runs.
std::string roles_json(const RolesComparison& comparison, std::span<const Run* const> runs);

}  // namespace tactus

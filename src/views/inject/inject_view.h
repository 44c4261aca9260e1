#pragma once

#include <string>

#include "inject/injection.h"
#include "inject/scenario.h"

namespace tactus {

/// What can be injected.
std::string show_scenarios(bool as_json, std::size_t width);
/// What will be done.
std::string show_plan(const inject::Plan& plan);
/// What was done; `account` is null for a dry run.
std::string show_injection(const inject::Plan& plan, const inject::InjectAccount* account,
                           bool as_json);

}  // namespace tactus

#pragma once

#include "compare/compared_run.h"
#include "compare/comparison.h"

namespace tactus {

/// How much longer a cycle takes, by phase; at top level that of decode where there is decode.
Change change_of_cycles(const Side& normal, const Side& abnormal);

/// How much longer a launch takes, all cycles together.
Change change_per_launch(const Side& normal, const Side& abnormal);

}  // namespace tactus

#pragma once

#include "compare/comparison.h"
#include "compare/runs/compared_run.h"

namespace tactus {

/// How much longer a cycle takes, by phase; at top level that of decode where there is decode.
Change change_of_cycles(const ComparedRun& normal, const ComparedRun& abnormal);

/// How much longer a launch takes, all cycles together.
Change change_per_launch(const ComparedRun& normal, const ComparedRun& abnormal);

}  // namespace tactus

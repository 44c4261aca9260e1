#pragma once

#include "edit_run/edits.h"
#include "edit_run/new_times.h"
#include "edit_run/steps.h"
#include "run/run.h"

namespace tactus::edit_run {

/// Gives the run its new times, and names, ids and rows as the edits want them. An error if an edit
/// has nothing to change.
Status rewrite(const Recording& recording, const Steps& steps, const NewTimes& times,
               const Edits& edits, Run& run);

}  // namespace tactus::edit_run

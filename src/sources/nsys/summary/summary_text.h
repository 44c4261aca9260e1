#pragma once

#include <string_view>

#include "base/result.h"
#include "run/builder.h"
#include "sources/bytes/input_bytes.h"

namespace tactus::nsys {

/// True if the text holds a profiler's kernel table: a header line with Time, Total Time, Instances
/// and Name (nsys), or Time(%), Time, Calls and Name (nvprof), in one of the forms that
/// SummaryLayout names.
bool is_summary(std::string_view head);

/// Reads a kernel summary into the run's `kernel_summary`: the rows in the order of the file, and
/// the author's texts around them as notes. Reads the form that the GUI copies ("1.266 s") and the
/// form that `nsys stats` prints ("1266000000" under "Total Time (ns)").
Status import_summary(InputBytes& bytes, RunBuilder& builder);

}  // namespace tactus::nsys

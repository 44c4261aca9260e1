#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "kernels/trace/launch_table.h"
#include "views/kernels/kernels_parts.h"
#include "views/kernels/kernels_view.h"

namespace tactus {

/// The launches of a recording that has no times of kernels, in any format but JSON.
std::string show_launches(const LaunchTable& table, const KernelsViewOptions& options);

/// The same as a part of the JSON document of kernels, with the first `top` rows (0: all).
Json launches_json(const LaunchTable& table, std::size_t top);

/// How many launches there are, and what is known of the time of the device, in sentences.
std::vector<Remark> launch_remarks(const LaunchTable& table);

}  // namespace tactus

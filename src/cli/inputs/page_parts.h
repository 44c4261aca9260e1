#pragma once

#include <string>
#include <vector>

namespace tactus::cli {

/// The values of --open: parts of the page.
inline const std::vector<std::string> kPageParts = {"overview", "steps",   "timeline", "kernels",
                                                    "roofline", "flame",   "ranks",    "compare",
                                                    "bench",    "opinion", "sql"};

}  // namespace tactus::cli

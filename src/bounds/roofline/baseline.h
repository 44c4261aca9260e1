#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalogue/catalogue.h"

namespace tactus {

/// A time that a shape took on a machine, measured or mined.
struct BaselineTime {
  std::string operator_name;
  std::string shape_id;        ///< of the catalogue; empty if only the parameters are known
  ShapeParameters parameters;  ///< used if there is no shape_id
  std::string hardware;        ///< name of a profile, or of a device
  std::string source;          ///< what ran: a candidate, a rival, a framework
  double t_ns = 0;
};

/// Reads the result of a benchmark (for each shape the best time: the candidate's or a rival's) or
/// a mined catalogue; `path` is for messages.
Result<std::vector<BaselineTime>> read_baseline(std::string_view text, std::string_view path);

}  // namespace tactus

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tactus::nsys {

struct JsonCell {
  std::string key;
  std::string value;  ///< numbers as they are written
};

/// The members of a row of `nsys stats --format json`, which has one object per line:
///
///     [
///     {"Time (%)":60.0,"Total Time (ns)":6000000,"Instances":100,"Name":"f"},
///
/// Empty if the line is none.
std::vector<JsonCell> read_json_row(std::string_view line);

}  // namespace tactus::nsys

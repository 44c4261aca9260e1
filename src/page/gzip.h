#pragma once

#include <string>
#include <string_view>

namespace tactus::page {

/// The bytes as a gzip file, which browsers unpack themselves.
std::string gzip(std::string_view bytes);

}  // namespace tactus::page

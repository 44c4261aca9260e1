// Tables of lines of Python's code objects.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "wire/line_table.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 8) return 0;
  std::int32_t first = 0;
  std::int32_t offset = 0;
  std::memcpy(&first, data, 4);
  std::memcpy(&offset, data + 4, 4);
  const std::vector<unsigned char> table(data + 8, data + size);
  tactus::wire::line_of_pairs(table.data(), table.size(), first, offset);
  tactus::wire::line_of_locations(table.data(), table.size(), first, offset);
  return 0;
}

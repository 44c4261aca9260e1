#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::testing {

/// Reads a column set as the page does; whole numbers only.
inline std::map<std::string, std::vector<std::int64_t>> read_columns(std::string_view bytes) {
  const auto u32 = [&](std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + at, 4);
    return value;
  };
  std::map<std::string, std::vector<std::int64_t>> columns;
  if (bytes.size() < 8 || u32(0) != 0x31434154) return columns;
  std::size_t at = 8;
  for (std::uint32_t i = 0; i < u32(4); ++i) {
    const std::string name(bytes.substr(at + 4, u32(at)));
    at += 4 + name.size();
    const int type = bytes[at];
    const std::uint32_t count = u32(at + 4), size = u32(at + 8);
    const std::string_view data = bytes.substr(at + 12, size);
    at += 12 + size;
    at += (4 - at % 4) % 4;
    std::vector<std::uint64_t> raw;
    if (type == 1 || type == 2) {
      std::uint64_t value = 0;
      int shift = 0;
      for (const char c : data) {
        value |= static_cast<std::uint64_t>(c & 127) << shift;
        shift += 7;
        if ((c & 128) != 0) continue;
        raw.push_back(value);
        value = 0;
        shift = 0;
      }
    } else if (type == 3) {
      for (const char c : data) raw.push_back(static_cast<unsigned char>(c));
    } else if (type >= 4) {
      raw.assign(count, 0);
      for (std::size_t p = 0; count != 0 && p < size / count; ++p) {
        for (std::size_t k = 0; k < count; ++k) {
          raw[k] |= static_cast<std::uint64_t>(static_cast<unsigned char>(data[p * count + k]))
                    << (8 * p);
        }
      }
    }
    std::int64_t last = 0;
    for (const std::uint64_t value : raw) {
      if (type == 2 || type >= 5) {
        const auto step = static_cast<std::int64_t>(value >> 1 ^ (~(value & 1) + 1));
        last = type == 6 ? step : last + step;
        columns[name].push_back(last);
      } else {
        columns[name].push_back(static_cast<std::int64_t>(value));
      }
    }
  }
  return columns;
}

/// The same for all slices of a report: puts their times where the slices are.
inline std::map<std::string, std::vector<std::int64_t>> read_whole(std::string_view bytes) {
  auto columns = read_columns(bytes);
  const std::vector<std::int64_t>& names = columns["name"];
  std::vector<std::size_t> places(names.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
  std::stable_sort(places.begin(), places.end(),
                   [&](std::size_t a, std::size_t b) { return names[a] < names[b]; });
  std::vector<std::int64_t> starts(places.size()), durs(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    starts[places[i]] = columns["gap"][i];
    durs[places[i]] = columns["dur"][i];
  }
  std::size_t i = 0;
  for (const std::int64_t count : columns["run"]) {
    std::map<std::int64_t, std::int64_t> ends;
    std::int64_t depth = -1, start = 0;
    for (const std::size_t end = i + static_cast<std::size_t>(count); i < end; ++i) {
      const std::int64_t own = columns["depth"][i];
      starts[i] += own > depth ? start : ends[own];
      start = starts[i];
      depth = own;
      ends[own] = start + durs[i];
    }
  }
  columns["start"] = starts;
  columns["dur"] = durs;
  return columns;
}

}  // namespace tactus::testing

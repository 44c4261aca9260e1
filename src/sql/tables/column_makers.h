#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "run/args/arg_json.h"
#include "sql/relation.h"
#include "sql/tables/derived.h"

namespace tactus::sql {

using Codes = std::function<const Column&()>;

inline RelationColumn row_number(std::string name, std::string_view about) {
  return {.name = std::move(name),
          .type = "INTEGER",
          .meaning = Meaning::kRowNumber,
          .codes = {},
          .dictionary = {},
          .compute = {},
          .about = about};
}

inline RelationColumn number(std::string name, Codes codes, std::string_view about,
                             Meaning meaning = Meaning::kNumber) {
  return {.name = std::move(name),
          .type = "INTEGER",
          .meaning = meaning,
          .codes = std::move(codes),
          .dictionary = {},
          .compute = {},
          .about = about};
}

inline RelationColumn number_or_null(std::string name, Codes codes, std::string_view about) {
  return number(std::move(name), std::move(codes), about, Meaning::kNumberOrNull);
}

inline RelationColumn looked_up(std::string name, std::string_view type, Codes codes,
                                std::function<Cell(std::int64_t)> cell, std::string_view about) {
  return {.name = std::move(name),
          .type = type,
          .meaning = Meaning::kDictionary,
          .codes = std::move(codes),
          .dictionary = {.cell = std::move(cell), .find = {}},
          .compute = {},
          .about = about};
}

inline RelationColumn computed(std::string name, std::string_view type,
                               std::function<Cell(std::size_t, std::string&)> compute,
                               std::string_view about) {
  return {.name = std::move(name),
          .type = type,
          .meaning = Meaning::kComputed,
          .codes = {},
          .dictionary = {},
          .compute = std::move(compute),
          .about = about};
}

/// Texts of the run; a code below 0 is NULL.
inline RelationColumn text_of_run(std::string name, const Run& run, Codes codes,
                                  std::string_view about) {
  RelationColumn column = looked_up(
      std::move(name), "TEXT", std::move(codes),
      [&run](std::int64_t code) {
        return code < 0 ? Cell::null()
                        : Cell::words(run.strings[StringId(static_cast<std::uint64_t>(code))]);
      },
      about);
  column.dictionary.find = [&run](std::string_view text) {
    const std::optional<StringId> id = run.strings.find(text);
    return id ? std::int64_t{id->value} : std::int64_t{-1};
  };
  return column;
}

/// A field of the place that a code names.
inline RelationColumn place_column(std::string name, std::string_view type, Derived& derived,
                                   Codes tracks, Cell (*field)(const Place&),
                                   std::string_view about) {
  return looked_up(
      std::move(name), type, std::move(tracks),
      [&derived, field](std::int64_t track) {
        const auto at = static_cast<std::uint64_t>(track);
        return at < derived.places().size() ? field(derived.places()[at]) : Cell::null();
      },
      about);
}

Cell device_of(const Place& place);
Cell stream_of(const Place& place);
Cell pid_of(const Place& place);
Cell process_of(const Place& place);
Cell tid_of(const Place& place);
Cell thread_of(const Place& place);
Cell rank_of(const Place& place);
Cell host_of(const Place& place);

/// The value of an argument of a slice; texts that must be written go to the buffer.
Cell cell_of_value(const Run& run, Value value, std::string& buffer);
/// All arguments of a slice as JSON; NULL if it has none.
Cell args_json(const Run& run, std::size_t row, std::string& buffer);
/// One argument of a slice.
Cell arg_of(const Run& run, std::size_t row, std::string_view key, std::string& buffer);

}  // namespace tactus::sql

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "page/slice_bytes.h"
#include "run/filter.h"

namespace tactus::serve {

/// The values behind the ? of a document's name, by key.
using Query = std::map<std::string, std::string>;

/// A document as a page asks for it: "run/0/kernels?phase=decode".
struct DocumentName {
  std::optional<std::size_t> run;  ///< the 0 of run/0/...
  std::string part;                ///< "kernels"; the whole name if it is not of a run
  Query query;
};

/// Reads a name with its query; percent signs are decoded. A name that is too long, or has anything
/// besides letters, digits, _ and / before the ?, is a usage error.
Result<DocumentName> read_document_name(std::string_view text);

/// A whole number; nothing if the key is absent, an error if it is not a number.
Result<std::optional<std::int64_t>> number_in(const Query& query, const std::string& key);

/// tracks=1,2&from=NS&to=NS&columns=PX. What is not given is all of the run.
Result<page::TileRequest> read_tile(const Query& query, const TimeSpan& span);

/// from, to, device, stream, rank, pid.
Result<SliceFilter> read_filter(const Query& query);

/// The same name for the same question: keys sorted, unknown ones left out by the reader.
std::string canonical_name(const DocumentName& name);

}  // namespace tactus::serve

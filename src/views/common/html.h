#pragma once

#include <string>
#include <string_view>

#include "views/common/json.h"

namespace tactus {

/// Text that a page shows unchanged, for any name; also for attributes in quotes.
std::string html_text(std::string_view text);

/// A document for <script type="application/json">: nothing in it can end the script.
std::string html_json(const Json& document);
/// The same for a document that is already text.
std::string html_safe_json(std::string_view json);

}  // namespace tactus

#pragma once

#include <string>
#include <string_view>

#include "views/common/run_json.h"

namespace tactus {

/// Text that a page shows as it is, whatever a name holds; fit for attributes in quotes as well.
std::string html_text(std::string_view text);

/// A document to stand inside <script type="application/json">: nothing in it can end the script.
std::string html_json(const Json& document);
/// The same of one that is text already.
std::string html_safe_json(std::string_view json);

}  // namespace tactus

#pragma once

#include <string>

namespace tactus {

/// Gives a file another name that nothing may have yet. Of two processes that do so, one wins. 0,
/// or the error number: EEXIST if the name is taken.
int move_to_new_name(const std::string& from, const std::string& to);

// The ways it does that, best first; a file system may lack one (EINVAL, EPERM and others).
int rename_to_new_name(const std::string& from, const std::string& to);
int link_to_new_name(const std::string& from, const std::string& to);
/// The name is an empty file for a moment.
int claim_new_name(const std::string& from, const std::string& to);

}  // namespace tactus

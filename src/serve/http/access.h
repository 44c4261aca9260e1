#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace tactus::serve {

/// 128 random bits as 32 hexadecimal digits.
Result<std::string> make_token();

/// Whether two texts are equal, in a time that does not tell where they differ.
bool equal_in_constant_time(std::string_view a, std::string_view b);

/// What a request says about where it comes from; empty texts for absent headers.
struct RequestOrigin {
  std::string_view host;    ///< "127.0.0.1:8080"
  std::string_view origin;  ///< "http://127.0.0.1:8080"
  std::string_view site;    ///< Sec-Fetch-Site
};

/// Who may ask: pages of this server, by the names that this server has. A page of another site
/// whose name was made to point here (DNS rebinding) names itself as the host.
class Access {
 public:
  Access(std::string token, std::string host, int port);

  const std::string& token() const { return token_; }
  bool has_token(std::string_view given) const { return equal_in_constant_time(given, token_); }
  /// Nothing if the request may be answered, else why not, as a sentence.
  std::string refusal(const RequestOrigin& from) const;

 private:
  bool is_own(std::string_view host) const;

  std::string token_;
  std::string host_;
  int port_;
};

/// A name for an uploaded file: the last part of what the browser says, with harmless characters
/// only.
std::string safe_file_name(std::string_view given);

}  // namespace tactus::serve

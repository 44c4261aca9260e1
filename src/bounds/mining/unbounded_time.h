#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tactus {

inline constexpr std::string_view kReplayed = "kernels that CUDA graphs replay";
inline constexpr std::string_view kNoLaunch = "kernels whose launch was not recorded";
inline constexpr std::string_view kNoOp = "kernels that no framework op launched";

/// GPU time without a bound, by reason.
class UnboundedTime {
 public:
  /// `op` may be empty.
  void add(std::string_view why, std::string_view op, std::int64_t ns);

  /// One sentence per reason, the largest first: how much, why, which ops, what to record.
  std::vector<std::string> sentences(std::int64_t total_ns) const;

 private:
  struct Time {
    std::int64_t ns = 0;
    std::map<std::string, std::int64_t, std::less<>> by_op;
  };
  std::map<std::string, Time, std::less<>> by_reason_;
};

}  // namespace tactus

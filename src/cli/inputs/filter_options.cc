#include "cli/inputs/filter_options.h"

#include <charconv>
#include <optional>

#include "views/common/numbers.h"

namespace tactus::cli {

namespace {

/// "0.1": a whole number without a unit is in ns, but of a ns there are no parts.
bool is_fraction(const std::string& text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && read == end && text.find('.') != std::string::npos;
}

}  // namespace

void FilterOptions::add_to(Options& options) {
  options.add("--device", filter.device, "only the work of this device");
  options.add("--stream", filter.stream, "only the work of this stream");
  options.add("--rank", filter.rank, "only this rank of the job");
  options.add("--pid", filter.pid, "only this process and its device work");
  add_times_to(options);
}

void FilterOptions::add_times_to(Options& options, const std::string& what) {
  options.add("--from", from, "only " + what + " that start at or after this time, e.g. 12.5ms")
      .type_name("TIME")
      .not_empty();
  options.add("--to", to, "only " + what + " that start before this time")
      .type_name("TIME")
      .not_empty();
}

Result<SliceFilter> FilterOptions::resolve() const {
  SliceFilter resolved = filter;
  const auto read = [](const char* flag, const std::string& text,
                       std::optional<std::int64_t>& into) -> Status {
    if (text.empty()) return {};
    std::int64_t ns = 0;
    if (is_fraction(text)) {
      return usage_error(std::string(flag) + " " + text + ": has no unit: " + text + "s or " +
                         text + "ms?");
    }
    if (!parse_duration(text, ns)) {
      return usage_error(std::string(flag) + " " + text +
                         ": is not a time; write 1500 (ns), 20us, 12.5ms or 3s");
    }
    into = ns;
    return {};
  };
  if (Status status = read("--from", from, resolved.from_ns); !status) return status.error();
  if (Status status = read("--to", to, resolved.to_ns); !status) return status.error();
  if (resolved.from_ns && resolved.to_ns && *resolved.from_ns >= *resolved.to_ns) {
    return usage_error("--from " + from + " --to " + to +
                       ": nothing lies between them; give the earlier time to --from");
  }
  return resolved;
}

}  // namespace tactus::cli

#include "sources/kineto/dialects/foreign_slice.h"

#include <charconv>

namespace tactus::kineto {

std::string_view text_of(const Run& run, const Value& value) {
  if (value.type != ValueType::kText) return {};
  return run.strings[StringId(static_cast<std::uint64_t>(value.raw))];
}

std::optional<std::int64_t> whole_number(const Run& run, const Value& value) {
  if (value.type == ValueType::kInt) return value.raw;
  const std::string_view text = text_of(run, value);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

TrackId append_slice(RunBuilder& builder, const ForeignSlice& slice, bool on_device) {
  const TrackId track = builder.track(slice.thread, on_device);
  ArgShape shape;
  std::vector<std::int64_t> values;
  for (const ForeignSlice::Arg& arg : slice.args) {
    shape.push_back({arg.key, arg.value.type});
    values.push_back(arg.value.raw);
  }
  builder.run().slices.append(slice.start_ns, slice.dur_ns, slice.name, track.value,
                              slice.category.value, builder.shape(shape), values);
  return track;
}

}  // namespace tactus::kineto

#include "sources/kineto/open_slices.h"

#include <algorithm>

namespace tactus::kineto {

void OpenSlices::begin(TrackId track, OpenSlice slice) {
  open_[track].push_back(std::move(slice));
}

void OpenSlices::end(TrackId track, OpenSlice end) {
  std::vector<OpenSlice>& open = open_[track];
  const std::int64_t time = end.start;
  if (open.empty()) {
    builder_.repair("begin_missing");
    append(track, end, time);
    builder_.run().slices.flag_last(kOpenBegin);
    return;
  }
  const bool named = end.name.value != 0;
  if (named && open.back().name != end.name) {
    builder_.repair("re_nested");
    const auto same = std::find_if(open.rbegin(), open.rend(),
                                   [&](const OpenSlice& slice) { return slice.name == end.name; });
    const auto inside = same == open.rend() ? 0 : same - open.rbegin();
    for (auto i = inside; i > 0; --i) {
      append(track, open.back(), time);
      open.pop_back();
    }
  }
  OpenSlice& slice = open.back();
  slice.fields.insert(slice.fields.end(), end.fields.begin(), end.fields.end());
  slice.values.insert(slice.values.end(), end.values.begin(), end.values.end());
  append(track, slice, time);
  open.pop_back();
}

void OpenSlices::close_all(std::int64_t latest_time) {
  for (auto& [track, open] : open_) {
    for (OpenSlice& slice : open) {
      builder_.repair("end_missing");
      append(track, slice, std::max(latest_time, slice.start));
      builder_.run().slices.flag_last(kOpenEnd);
    }
  }
  open_.clear();
}

void OpenSlices::append(TrackId track, OpenSlice& slice, std::int64_t end_ns) {
  if (end_ns < slice.start) {
    builder_.repair("negative_duration");
    end_ns = slice.start;
  }
  builder_.run().slices.append(slice.start, end_ns - slice.start, slice.name, track.value,
                               slice.category.value, builder_.shape(slice.fields), slice.values);
}

}  // namespace tactus::kineto

#include "sources/kineto/dialects/rocprof.h"

#include <charconv>
#include <string>

namespace tactus::kineto {
namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

void RocprofEvents::note_process(ProcessId process, std::string_view name) {
  Place place;
  if (contains(name, "HIP API")) place.kind = Kind::kHip;
  if (contains(name, "HSA API")) place.kind = Kind::kHsa;
  if (contains(name, "Markers")) place.kind = Kind::kMarker;
  if (contains(name, "COPY")) place.kind = Kind::kCopy;
  if (const std::size_t gpu = name.find("GPU"); gpu != std::string_view::npos) {
    place.kind = Kind::kGpu;
    const std::string_view digits = name.substr(gpu + 3);
    std::from_chars(digits.data(), digits.data() + digits.size(), place.device);
  }
  places_[process] = place;
}

bool RocprofEvents::add(ForeignSlice slice, std::optional<std::int64_t> rounded_ns) {
  std::optional<std::int64_t> begin, end, device, queue, stream;
  std::vector<ForeignSlice::Arg> kept;
  for (const ForeignSlice::Arg& arg : slice.args) {
    const std::string_view key = builder_.run().strings[arg.key];
    const std::optional<std::int64_t> number = whole_number(builder_.run(), arg.value);
    if (key == "BeginNs") {
      begin = number;
    } else if (key == "EndNs") {
      end = number;
    } else if (key == "dev-id") {
      device = number;
    } else if (key == "queue-id") {
      queue = number;
    } else if (key == "stream-id") {
      stream = number;
    } else if (key != "DurationNs" && key != "Name" && !key.starts_with('@')) {
      kept.push_back(arg);
    }
  }
  constexpr std::int64_t kLatest = kLatestTime / 2;
  if (!begin || !end || *begin < -kLatest || *begin > kLatest || *end > kLatest ||
      *end < -kLatest) {
    return false;
  }
  if (*end < *begin) builder_.repair("negative_duration");
  constexpr std::int64_t kSameClock = 1'000'000;  // [ns]
  const bool is_same = !rounded_ns || (*begin > *rounded_ns ? *begin - *rounded_ns < kSameClock
                                                            : *rounded_ns - *begin < kSameClock);
  slice.start_ns = is_same ? *begin : *rounded_ns + *begin % 1000;
  slice.dur_ns = std::max<std::int64_t>(*end - *begin, 0);

  const auto found = places_.find(slice.process);
  const Place place = found == places_.end() ? Place{} : found->second;
  static constexpr std::string_view kCategories[] = {
      "other", "cuda_runtime", "cuda_driver", "user_annotation", "gpu_memcpy", "kernel"};
  slice.category = builder_.category(kCategories[static_cast<std::size_t>(place.kind)]);
  const bool on_device = place.kind == Kind::kGpu || place.kind == Kind::kCopy;
  slice.args.clear();
  const auto add_number = [&](std::string_view key, std::int64_t number) {
    slice.args.push_back({builder_.intern(key), {ValueType::kInt, number}});
  };
  const std::int64_t index = place.kind == Kind::kGpu ? place.device : device.value_or(0);
  if (on_device) add_number("device", index);
  if (const auto number = stream ? stream : queue; on_device && number) {
    add_number("stream", *number);
  }
  slice.args.insert(slice.args.end(), kept.begin(), kept.end());
  Track& track = builder_.run().tracks[append_slice(builder_, slice, on_device).value];
  if (on_device) {
    track.device_index = index;
    if (!track.stream) track.stream = stream ? stream : queue;
  }
  return true;
}

}  // namespace tactus::kineto

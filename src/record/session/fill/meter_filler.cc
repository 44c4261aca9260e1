#include "record/session/fill/meter_filler.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "run/args/value.h"

namespace tactus::record {
namespace {

constexpr std::string_view kGpuLabel = "GPU ";

/// The number of "GPU 3".
std::optional<std::int64_t> gpu_index(const std::string& label) {
  if (!label.starts_with(kGpuLabel)) return std::nullopt;
  std::int64_t index = 0;
  const char* const end = label.data() + label.size();
  const auto read = std::from_chars(label.data() + kGpuLabel.size(), end, index);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return index;
}

/// "gpu activity of GPU 0 3.1 instead of 9.5 per second (1.9 ms each)": those that their cost or
/// long calls kept from being read.
std::string slowed_meters(const std::vector<meters::MeterRate>& rates) {
  using Limit = meters::MeterRate::Limit;
  std::string text;
  for (const meters::MeterRate& rate : rates) {
    if (rate.limit != Limit::kCost && rate.limit != Limit::kLate) continue;
    const std::string reason = rate.limit == Limit::kLate
                                   ? "the driver or the machine was busy"
                                   : fmt::format("{:.2g} ms of a core each", rate.cost_ns / 1e6);
    text += fmt::format("{}{} of {}, {:.2g} instead of {:.2g} per second ({})",
                        text.empty() ? "" : "; ", rate.name, rate.device, rate.hz, rate.wanted_hz,
                        reason);
  }
  return text;
}

}  // namespace

Result<MeterFiller> MeterFiller::start(double hz, RunBuilder& builder, std::int64_t origin_ns,
                                       const std::string& host_name) {
  meters::MeterOptions options;
  options.hz = hz;
  Result<std::unique_ptr<meters::MeterSession>> session =
      meters::MeterSession::start(std::move(options));
  if (!session) return session.error();
  return MeterFiller(std::move(*session), builder, origin_ns, builder.intern(host_name));
}

MeterFiller::MeterFiller(std::unique_ptr<meters::MeterSession> session, RunBuilder& builder,
                         std::int64_t origin_ns, StringId host_name)
    : session_(std::move(session)),
      builder_(builder),
      origin_ns_(origin_ns),
      source_(builder.begin_source("meters", "counters")) {
  builder.source().host_name = host_name;
  builder.end_source(origin_ns, 0);
}

void MeterFiller::add_process(std::int64_t pid) {
  if (processes_.insert(pid).second) session_->add_process(pid);
}

void MeterFiller::add_new_series() {
  const std::vector<meters::MeterDevice> devices = session_->devices();
  for (; devices_ < devices.size(); ++devices_) {
    const meters::MeterDevice& device = devices[devices_];
    const std::optional<std::int64_t> index = gpu_index(device.label);
    if (!index) continue;
    builder_.run().described_devices.push_back({.source = source_,
                                                .index = *index,
                                                .name = builder_.intern_repaired(device.model),
                                                .uuid = builder_.intern_repaired(device.uuid)});
  }
  for (const meters::MeterCounter& counter : session_->counters(series_.size())) {
    CounterSeries series{.source = source_,
                         .process = {},
                         .name = builder_.intern(counter.name),
                         .field = StringId(0),
                         .category = builder_.intern(meters::scope_name(counter.scope)),
                         .place = builder_.intern_repaired(devices[counter.device].label),
                         .unit = builder_.intern(counter.unit)};
    if (counter.pid) series.process = builder_.process(source_, RunBuilder::ident(*counter.pid));
    series_.push_back(builder_.series(series));
  }
}

std::vector<meters::MeterSample> MeterFiller::take() {
  std::vector<meters::MeterSample> samples;
  session_->drain(samples);
  std::stable_sort(samples.begin(), samples.end(),
                   [](const auto& a, const auto& b) { return a.time.real_ns < b.time.real_ns; });
  return samples;
}

void MeterFiller::add(const std::vector<meters::MeterSample>& samples) {
  add_new_series();
  for (const meters::MeterSample& sample : samples) {
    const std::int64_t time_ns = sample.time.real_ns - origin_ns_;
    if (time_ns < 0 || sample.counter >= series_.size()) continue;
    // More digits than a meter has.
    const std::int64_t value =
        Decimal::from_text(fmt::format("{:.7g}", sample.value), builder_.run().strings);
    builder_.run().counters.append({time_ns, series_[sample.counter].value, value});
  }
}

void MeterFiller::finish() {
  std::uint64_t lost = 0;
  for (const meters::SamplerStats& stats : session_->stats()) lost += stats.lost;
  if (lost != 0) builder_.drop("meter_samples", lost);
  std::string missing;
  for (const meters::MeterIssue& issue : session_->issues()) {
    if (issue.is_end) continue;
    missing += fmt::format("{}{} ({})", missing.empty() ? "" : "; ", issue.what, issue.reason);
  }
  if (!missing.empty())
    builder_.remark("meters that could not be read where it was recorded: " + missing);
  if (const std::string slowed = slowed_meters(session_->rates()); !slowed.empty()) {
    builder_.warn("meters that were read less often than asked: " + slowed);
  }
}

}  // namespace tactus::record

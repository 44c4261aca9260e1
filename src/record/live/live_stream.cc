#include "record/live/live_stream.h"

#include <dirent.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "record/session/processes.h"

namespace tactus::record {
namespace {

/// Meters that are worth a place on a screen, in this order.
constexpr auto kShown = std::to_array<std::string_view>(
    {"gpu_usage",          "gpu_sm_util",       "gpu_dram_util",   "gpu_sm_frequency",
     "gpu_power",          "gpu_temp",          "gpu_mem_used",    "gpu_pcie_receive",
     "gpu_link_receive",   "process_cpu_usage", "host_cpu_usage",  "runq_wait",
     "cpu_pressure",       "io_pressure",       "memory_pressure", "process_mem_rss",
     "host_mem_available", "context_switches",  "disk_read",       "disk_write",
     "net_rx_rate",        "net_tx_rate"});

std::optional<std::int64_t> number_in(const std::string& text) {
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Processes whose command has the text in it.
std::vector<std::int64_t> processes_named(const std::string& name, const std::string& proc) {
  std::vector<std::int64_t> found;
  DIR* const folder = ::opendir(proc.c_str());
  if (folder == nullptr) return found;
  while (const dirent* entry = ::readdir(folder)) {
    const std::optional<std::int64_t> pid = number_in(entry->d_name);
    if (!pid || *pid == ::getpid()) continue;
    if (process_command(*pid, proc).find(name) != std::string::npos) found.push_back(*pid);
  }
  ::closedir(folder);
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

Result<std::int64_t> find_process(const std::string& pid_or_name, const std::string& proc) {
  if (const std::optional<std::int64_t> pid = number_in(pid_or_name)) return *pid;
  std::vector<std::int64_t> found = processes_named(pid_or_name, proc);
  // `sudo tactus top NAME` and its shell have the name in their command, too.
  for (std::int64_t own = ::getppid(); own > 1;) {
    std::erase(found, own);
    own = parent_of(own, proc);
  }
  // Those that another one of them started belong to it.
  std::set<std::int64_t> below;
  for (const std::int64_t pid : found) {
    for (const std::int64_t child : with_descendants(pid, proc)) {
      if (child != pid) below.insert(child);
    }
  }
  std::erase_if(found, [&](std::int64_t pid) { return below.contains(pid); });
  if (found.size() == 1) return found.front();
  if (found.empty()) return input_error("no process has \"" + pid_or_name + "\" in its command");
  std::string list;
  for (std::size_t i = 0; i < found.size() && i < 5; ++i) {
    list += (i == 0 ? "" : ", ") + std::to_string(found[i]);
  }
  return input_error(std::to_string(found.size()) + " processes have \"" + pid_or_name +
                     "\" in their command; give a number: " + list);
}

Result<std::unique_ptr<LiveStream>> LiveStream::start(const Options& options) {
  std::unique_ptr<LiveStream> stream(new LiveStream(options));
  stream->process_ =
      File(static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(options.pid), 0)));
  if (!stream->process_.is_open()) {
    return input_error("process " + std::to_string(options.pid) + ": " + error_text(errno));
  }
  stream->attach();
  return stream;
}

LiveStream::LiveStream(const Options& options)
    : options_(options),
      targets_({.wishes = {}, .listener = nullptr, .root_pid = options.pid}),
      sums_(clock_),
      command_(process_command(options.pid)) {}

LiveStream::~LiveStream() {
  targets_.end();
  host_.stop();
}

void LiveStream::attach() {
  if (options_.host) {
    if (const Status status = host_.start(100'000); !status) {
      notes_.push_back("--host: " + status.error().message);
    }
    host_.add_with_descendants(options_.pid);
  }
  bool has_agent = false;
  std::string refusal;
  for (const std::int64_t pid : with_descendants(options_.pid)) {
    const Status status = targets_.attach(pid);
    has_agent = has_agent || status;
    if (!status && status.error().code == ErrorCode::kUsage) refusal = status.error().message;
  }
  if (!has_agent && !refusal.empty()) {
    notes_.push_back(refusal);
  } else if (!has_agent && !may_look_into(options_.pid)) {
    notes_.push_back(
        "it belongs to another user, so that an agent inside cannot be seen; only meters");
  } else if (!has_agent && host_.is_on()) {
    host_.look_for_drivers(options_.pid);
    notes_.push_back("no agent inside: launches are watched from outside, without names");
  } else if (!has_agent) {
    notes_.push_back(
        "no agent inside: no launches and steps; start it with LD_PRELOAD=$(tactus record "
        "--print-agent), or use --host");
  }
  targets_.begin();
  meters::MeterOptions options;
  options.hz = options_.meters_hz;
  options.pids = {options_.pid};
  if (options.hz <= 0) return;
  Result<std::unique_ptr<meters::MeterSession>> started =
      meters::MeterSession::start(std::move(options));
  if (started) meters_ = std::move(*started);
  if (!started) notes_.push_back("no meters: " + started.error().message);
}

LivePicture LiveStream::look() {
  LivePicture picture;
  constexpr int kLooksForDrivers = 4;  // [looks]
  if (++looks_ % kLooksForDrivers == 0 && agents_.empty()) host_.look_for_drivers(options_.pid);
  clock_.sample();
  Batch batch{.time_ns = clock_.latest_ns(),
              .harvest = targets_.take(),
              .host = host_.take(),
              .samples = {}};
  if (meters_) meters_->drain(batch.samples);
  lost_ += batch.harvest.lost;
  bool sees_calls = false;
  for (const Harvest::Part& part : batch.harvest.parts) {
    agents_.try_emplace(part.target->number, part.target);
  }
  for (const HostEvent& event : batch.host.events) {
    sees_calls = sees_calls || event.kind == HostEvent::Kind::kCall;
  }
  sums_.add(batch);
  picture.pid = options_.pid;
  picture.command = command_;
  picture.seconds = static_cast<double>(batch.time_ns) / 1e9;
  pollfd ready{.fd = process_.fd(), .events = POLLIN, .revents = 0};
  picture.has_ended = ::poll(&ready, 1, 0) == 1;
  picture.processes = agents_.size();
  picture.sees_launches = !agents_.empty() || sees_calls;
  picture.sees_host = host_.is_on();
  picture.lost = lost_ + batch.host.lost;
  for (const auto& [number, target] : agents_) {
    const AgentCounts counts = target->memory.counts();
    picture.lost += counts.ring_full + counts.no_ring + counts.interrupted;
  }
  sums_.fill(picture);
  add_meters(batch.samples, picture);
  for (std::string& warning : targets_.take_warnings()) notes_.push_back(std::move(warning));
  for (std::string& warning : host_.take_warnings()) notes_.push_back(std::move(warning));
  constexpr std::size_t kMostNotes = 5;
  if (notes_.size() > kMostNotes) notes_.resize(kMostNotes);
  picture.notes = notes_;
  return picture;
}

void LiveStream::add_meters(const std::vector<meters::MeterSample>& samples, LivePicture& picture) {
  if (!meters_) return;
  for (const meters::MeterSample& sample : samples) latest_[sample.counter] = sample.value;
  const std::vector<meters::MeterCounter> counters = meters_->counters();
  const std::vector<meters::MeterDevice> devices = meters_->devices();
  double usage = 0;
  std::size_t gpus = 0;
  for (const std::string_view shown : kShown) {
    for (std::uint32_t i = 0; i < counters.size(); ++i) {
      const meters::MeterCounter& counter = counters[i];
      const auto value = latest_.find(i);
      if (counter.name != shown || value == latest_.end()) continue;
      picture.meters.push_back(
          {counter.name, devices[counter.device].label, counter.unit, value->second});
      if (shown != "gpu_usage") continue;
      usage += value->second / 100;
      ++gpus;
    }
  }
  // What the driver says holds for all programs; our own times are better where there are any.
  if (!picture.gpu_busy && gpus != 0) picture.gpu_busy = usage / static_cast<double>(gpus);
}

}  // namespace tactus::record

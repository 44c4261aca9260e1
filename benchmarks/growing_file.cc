// A file that is written while it is read, and a part of a large one.
// usage: growing_file append SECONDS OUT.tact     1 million slices per second, a commit every 200
// ms
//        growing_file make GIGABYTES OUT.tact     a file with arguments that cannot be compressed
//        growing_file window FROM_S TO_S RUN.tact opens that part and reads five of its columns
// Prints JSON.
#include <fmt/format.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <random>
#include <thread>

#include "run/builder.h"
#include "run/event_view.h"
#include "run/tact/tact_file.h"

namespace {

using tactus::Result;
using tactus::RunBuilder;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t kSlicesPerSecond = 1'000'000;
constexpr auto kCommit = std::chrono::milliseconds(200);

double since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

std::int64_t peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * 1024;
}

/// Launches and kernels of one process, as a light recorder sees them.
class Server {
 public:
  explicit Server(int random_args) : random_args_(random_args) {
    builder_.begin_source("server", "kineto");
    const tactus::ThreadId host = builder_.thread(builder_.process({.value = 17}), {.value = 17});
    const tactus::ThreadId stream = builder_.thread(builder_.process({.value = 0}), {.value = 7});
    cpu_ = builder_.track(host, false);
    gpu_ = builder_.track(stream, true);
    builder_.run().tracks[gpu_.value].device_index = 0;
    runtime_ = builder_.category("cuda_runtime");
    kernel_ = builder_.category("kernel");
    for (int i = 0; i < 60; ++i) names_.push_back(builder_.intern("kernel_" + std::to_string(i)));
    launch_ = builder_.intern("cudaLaunchKernel");
    tactus::ArgShape fields = {{builder_.intern("correlation"), tactus::ValueType::kInt}};
    for (int i = 0; i < random_args; ++i) {
      fields.push_back({builder_.intern("arg" + std::to_string(i)), tactus::ValueType::kInt});
    }
    shape_ = builder_.shape(fields);
    values_.resize(fields.size());
  }

  /// The slices of one more launch, and their link.
  void step() {
    const std::int64_t at = pair_ * 2'000'000'000 / kSlicesPerSecond;
    values_[0] = pair_ + 1;
    for (int i = 0; i < random_args_; ++i) {
      values_[static_cast<std::size_t>(i) + 1] = static_cast<std::int64_t>(random_() >> 1);
    }
    tactus::EventTable& slices = builder_.run().slices;
    const auto jitter = static_cast<std::int64_t>(random_() % 500);
    slices.append(at + jitter, 900 + jitter, launch_, cpu_.value, runtime_.value, shape_, values_);
    slices.append(at + 5000 + jitter, 700 + 3 * jitter, names_[pair_ % names_.size()], gpu_.value,
                  kernel_.value, shape_, values_);
    builder_.run().links.append({0, 2 * pair_, 2 * pair_ + 1});
    ++pair_;
  }

  std::int64_t slices() const { return 2 * pair_; }
  tactus::Run& run() { return builder_.run(); }

 private:
  RunBuilder builder_;
  std::mt19937_64 random_{1};
  int random_args_;
  tactus::TrackId cpu_, gpu_;
  tactus::CategoryId runtime_, kernel_;
  tactus::StringId launch_;
  std::vector<tactus::StringId> names_;
  tactus::ShapeId shape_;
  std::vector<std::int64_t> values_;
  std::int64_t pair_ = 0;
};

int append(double seconds, const std::string& path) {
  Result<tactus::OutputFile> file = tactus::OutputFile::in_place(path, true);
  if (!file) return 1;
  tactus::RunWriter writer(std::move(*file), 1);
  writer.sync_every(kCommit);
  std::atomic<bool> is_done = false;
  double worst_lag = 0;
  double follower_seconds = 0;
  const Clock::time_point begin = Clock::now();
  // How far behind the follower is: now, against the time of the last slice that it has seen.
  std::thread follower([&] {
    Result<tactus::RunFollower> live = tactus::RunFollower::open(path, 1);
    std::size_t seen = 0;
    double seen_at = 0;
    while (live && !is_done) {
      const Result<bool> more = live->poll();
      if (!more) break;
      const std::size_t rows = live->run().slices.size();
      if (rows > seen) {
        seen = rows;
        seen_at = static_cast<double>(rows) / kSlicesPerSecond;
      }
      if (since(begin) > 1) worst_lag = std::max(worst_lag, since(begin) - seen_at);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    follower_seconds = thread_seconds();
  });
  Server server(0);
  const double cpu_before = thread_seconds();
  while (since(begin) < seconds) {
    std::this_thread::sleep_until(begin + kCommit * (server.slices() * 5 / kSlicesPerSecond + 1));
    const auto due = static_cast<std::int64_t>(since(begin) * kSlicesPerSecond);
    while (server.slices() < due) server.step();
    if (!writer.append_and_forget(server.run())) return 1;
  }
  const double cpu = thread_seconds() - cpu_before;
  const double took = since(begin);
  is_done = true;
  follower.join();
  if (!writer.finish()) return 1;
  fmt::print(
      R"({{"slices":{},"seconds":{:.2f},"writer_cpu_seconds":{:.2f},"slices_per_cpu_second":{:.0f},)"
      R"("worst_lag_ms":{:.0f},"follower_cpu_seconds":{:.2f},"bytes":{},"peak_bytes":{}}})"
      "\n",
      server.slices(), took, cpu, static_cast<double>(server.slices()) / cpu, worst_lag * 1e3,
      follower_seconds, writer.bytes(), peak_bytes());
  return 0;
}

int make(double gigabytes, const std::string& path) {
  Result<tactus::OutputFile> file = tactus::OutputFile::create(path, true);
  if (!file) return 1;
  tactus::RunWriter writer(std::move(*file), 2);
  Server server(6);
  while (static_cast<double>(writer.bytes()) < gigabytes * 1e9) {
    for (int i = 0; i < 1 << 18; ++i) server.step();
    if (!writer.append_and_forget(server.run())) return 1;
  }
  if (!writer.finish()) return 1;
  fmt::print(R"({{"slices":{},"bytes":{}}})"
             "\n",
             server.slices(), writer.bytes());
  return 0;
}

int window(double from_s, double to_s, const std::string& path) {
  const tactus::TimeSpan span{.begin_ns = static_cast<std::int64_t>(from_s * 1e9),
                              .end_ns = static_cast<std::int64_t>(to_s * 1e9)};
  const Clock::time_point begin = Clock::now();
  const Result<tactus::Run> run = tactus::open_run(path, {.threads = 2, .window = span});
  if (!run) {
    fmt::print(stderr, "{}\n", run.error().message);
    return 1;
  }
  const double opened = since(begin);
  const tactus::EventTable& slices = run->slices;
  std::int64_t found = 0;
  std::int64_t total = 0;
  tactus::for_each_slice(
      *run, tactus::Captures::kLeaveOut, [](tactus::SliceKind) { return true; },
      std::array{&slices.start(), &slices.dur(), &slices.name(), &slices.track()},
      [&](std::size_t, tactus::SliceKind, const auto& values) {
        if (values[0] < span.begin_ns || values[0] >= span.end_ns) return;
        ++found;
        total += values[1];
      });
  fmt::print(
      R"({{"slices":{},"read":{},"total_ns":{},"open_ms":{:.1f},"ms":{:.1f},"peak_bytes":{}}})"
      "\n",
      found, slices.size(), total, opened * 1e3, since(begin) * 1e3, peak_bytes());
  return run->status() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "append" && argc == 4) return append(std::atof(argv[2]), argv[3]);
  if (what == "make" && argc == 4) return make(std::atof(argv[2]), argv[3]);
  if (what == "window" && argc == 5) {
    return window(std::atof(argv[2]), std::atof(argv[3]), argv[4]);
  }
  fmt::print(stderr, "usage: growing_file append S FILE | make GB FILE | window FROM TO FILE\n");
  return 2;
}

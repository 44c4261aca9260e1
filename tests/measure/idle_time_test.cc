#include "measure/idle_time.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "support/run_text.h"

namespace tactus {
namespace {

using testing::import_json;

/// A Kineto trace, slice by slice; times in microseconds.
class Trace {
 public:
  Trace& host(std::string_view category, std::string_view name, int start, int dur, int id = 0) {
    return add(category, name, "100", "1", start, dur,
               id == 0 ? "" : fmt::format(R"("correlation":{})", id));
  }
  Trace& kernel(std::string_view name, int start, int dur, int id) {
    return add("kernel", name, "0", "7", start, dur,
               fmt::format(R"("correlation":{},"stream":7,"device":0)", id));
  }
  Run run() const { return import_json("{\"traceEvents\":[" + events_ + "]}"); }

 private:
  Trace& add(std::string_view category, std::string_view name, std::string_view pid,
             std::string_view tid, int start, int dur, const std::string& args) {
    events_ += fmt::format(
        R"({}{{"ph":"X","cat":"{}","name":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
        events_.empty() ? "" : ",", category, name, pid, tid, start, dur, args);
    return *this;
  }
  std::string events_;
};

std::int64_t of(const IdleTime& idle, Part part) {
  for (const IdleCause& cause : idle.causes) {
    if (cause.part == part) return cause.ns;
  }
  return 0;
}

const IdlePlace* place(const IdleTime& idle, Part part, std::string_view op) {
  for (const IdleCause& cause : idle.causes) {
    for (const IdlePlace& place : cause.places) {
      if (cause.part == part && place.op == op) return &place;
    }
  }
  return nullptr;
}

TEST(IdleTime, is_given_to_what_the_thread_did_that_launched_next) {
  // The device idles from 100 to 200: the host is in Python until 130, in an op until 180, launches
  // from 160 to 170.
  const auto run = Trace()
                       .host("cuda_runtime", "cudaLaunchKernel", 0, 5, 1)
                       .kernel("gemm", 10, 90, 1)
                       .host("python_function", "model.py(7): forward", 20, 170)
                       .host("cpu_op", "aten::mm", 130, 50)
                       .host("cuda_runtime", "cudaLaunchKernel", 160, 10, 2)
                       .kernel("gemm", 200, 50, 2)
                       .run();
  const IdleTime idle = find_idle_time(run, {});
  EXPECT_EQ(idle.span_ns, 240'000);
  EXPECT_EQ(idle.idle_ns, 100'000);
  EXPECT_EQ(idle.gaps, 1);
  EXPECT_EQ(idle.longest_ns, 100'000);
  EXPECT_EQ(of(idle, Part::kHostCode), 60'000);
  EXPECT_EQ(of(idle, Part::kLaunching), 10'000);
  EXPECT_EQ(of(idle, Part::kLaunchDelay), 30'000);
  ASSERT_NE(place(idle, Part::kHostCode, "aten::mm"), nullptr);
  EXPECT_EQ(place(idle, Part::kHostCode, "aten::mm")->ns, 30'000);
  EXPECT_EQ(place(idle, Part::kHostCode, "aten::mm")->python, "model.py(7): forward");
  EXPECT_EQ(place(idle, Part::kHostCode, "")->ns, 30'000);
  EXPECT_EQ(place(idle, Part::kLaunching, "aten::mm")->call, "cudaLaunchKernel");
  EXPECT_EQ(idle.host_ns(), 70'000);
}

TEST(IdleTime, of_a_wait_names_the_call) {
  const auto run = Trace()
                       .host("cuda_runtime", "cudaLaunchKernel", 0, 5, 1)
                       .kernel("gemm", 10, 90, 1)
                       .host("cpu_op", "aten::item", 20, 100)
                       .host("cuda_runtime", "cudaStreamSynchronize", 30, 80)
                       .host("cuda_runtime", "cudaLaunchKernel", 130, 10, 2)
                       .kernel("gemm", 140, 50, 2)
                       .run();
  const IdleTime idle = find_idle_time(run, {});
  EXPECT_EQ(of(idle, Part::kWaitCall), 10'000);
  EXPECT_EQ(place(idle, Part::kWaitCall, "aten::item")->call, "cudaStreamSynchronize");
  EXPECT_EQ(place(idle, Part::kHostCode, "aten::item")->ns, 10'000);
}

TEST(IdleTime, without_a_host_has_no_cause) {
  const auto run = Trace().kernel("gemm", 10, 90, 0).kernel("gemm", 200, 10, 0).run();
  const IdleTime idle = find_idle_time(run, {});
  EXPECT_EQ(of(idle, Part::kUnknownIdle), 100'000);
  EXPECT_EQ(idle.host_ns(), 0);
}

TEST(IdleTime, can_be_asked_for_a_part_of_the_time) {
  const auto run = Trace().kernel("gemm", 10, 90, 0).kernel("gemm", 200, 10, 0).run();
  SliceFilter filter;
  filter.from_ns = run.slices.start()[0] + 140'000;
  EXPECT_EQ(find_idle_time(run, filter).idle_ns, 50'000);
}

TEST(IdleTime, its_causes_and_places_add_up) {
  std::mt19937 random(7);
  const auto number = [&](int most) { return static_cast<int>(random() % unsigned(most)); };
  for (int turn = 0; turn < 50; ++turn) {
    Trace trace;
    int host = 0;
    int device = 0;
    std::int64_t busy_ns = 0;
    int first = -1;
    for (int id = 1; id <= 30; ++id) {
      const int op = host + number(20);
      const int call = op + number(10);
      const int call_end = call + 1 + number(10);
      host = call_end + number(5);
      trace.host("cpu_op", number(2) == 0 ? "aten::mm" : "aten::add", op, host - op);
      trace.host("cuda_runtime", "cudaLaunchKernel", call, call_end - call, id);
      device = std::max(device, call_end) + number(5);
      if (first < 0) first = device;
      const int dur = 1 + number(30);
      trace.kernel("gemm", device, dur, id);
      device += dur;
      busy_ns += dur * 1000;
    }
    const IdleTime idle = find_idle_time(trace.run(), {});
    EXPECT_EQ(idle.span_ns, (device - first) * 1000);
    EXPECT_EQ(idle.idle_ns, idle.span_ns - busy_ns);
    std::int64_t causes_ns = 0;
    for (const IdleCause& cause : idle.causes) {
      causes_ns += cause.ns;
      std::int64_t places_ns = 0;
      for (const IdlePlace& place : cause.places) places_ns += place.ns;
      EXPECT_EQ(places_ns, cause.ns);
    }
    EXPECT_EQ(causes_ns, idle.idle_ns);
  }
}

}  // namespace
}  // namespace tactus

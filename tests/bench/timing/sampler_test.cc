// How timed calls are made: in rounds, on copies that move, with one that is audited. Times are not
// looked at.
#include "bench/timing/sampler.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "operators/definition.h"

namespace tactus {
namespace {

// Of the kernel below, which has nowhere else to keep it.
std::vector<const void*> g_inputs;
int g_fails_at = -1;

int remember(const tactus_call* call) {
  g_inputs.push_back(tactus_input(call, "x")->data);
  return static_cast<int>(g_inputs.size()) == g_fails_at ? 42 : 0;
}

/// A CPU whose clocks are as a test says.
class ClockedDevice final : public Device {
 public:
  tactus_device kind() const override { return TACTUS_CPU; }
  std::string name() const override { return "clocked"; }
  std::size_t cache_bytes() const override { return 1; }
  std::size_t free_bytes() const override { return host_->free_bytes(); }
  Result<void*> allocate(std::size_t bytes) override { return host_->allocate(bytes); }
  void release(void* memory) override { host_->release(memory); }
  Status copy_in(void* to, const void* from, std::size_t bytes) override {
    return host_->copy_in(to, from, bytes);
  }
  Status copy_out(void* to, const void* from, std::size_t bytes) override {
    return host_->copy_out(to, from, bytes);
  }
  Status copy_within(void* to, const void* from, std::size_t bytes) override {
    return host_->copy_within(to, from, bytes);
  }
  void prepare(tactus_call& call) override { host_->prepare(call); }
  CallOutcome run(const tactus_entry& entry, const tactus_call& call) override {
    return host_->run(entry, call);
  }
  CallOutcome time(const tactus_entry& entry, std::span<const tactus_call* const> calls,
                   std::vector<double>& samples_ns) override {
    for (const tactus_call* call : calls) {
      const int code = entry.run(call);
      if (code != 0) return {.code = code, .error = {}};
      samples_ns.push_back(static_cast<double>(++timed_));
    }
    return {};
  }
  void settle() override {}
  ClockFloor launch_floor() override { return {}; }
  ClockReading clocks() override {
    return {.sm_mhz = 1980, .reasons = slow_until_ > timed_ ? 0x4U : 0x1U};
  }

  void slow_for(int calls) { slow_until_ = calls; }

 private:
  std::unique_ptr<Device> host_ = make_cpu_device(1);
  int timed_ = 0;
  int slow_until_ = 0;
};

class SamplerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    g_inputs.clear();
    g_fails_at = -1;
    ShapeParameters parameters;
    parameters.values = {{"tokens", 4}, {"hidden", 256}};
    problem_ = *make_problem(**find_definition("rms_norm"), parameters);
    layout_ = layout_of(problem_);
    copies_ = std::make_unique<TensorCopies>(device_, problem_, layout_);
    while (copies_->size() < TensorCopies::kMost) ASSERT_TRUE(copies_->add());
    sampler_ = std::make_unique<Sampler>(device_, entry_, *copies_);
  }

  void sample(std::uint64_t secret = 5) {
    const auto audit = [this](BoundCall& copy, std::vector<double>&) {
      audited_.push_back(tactus_input(&copy.call(), "x")->data);
      return true;
    };
    sampler_->sample(stop_, secret, audit, sampling_);
  }

  ClockedDevice device_;
  const tactus_entry entry_ = {"rms_norm", TACTUS_CPU, remember, nullptr};
  Problem problem_;
  TensorLayout layout_;
  std::unique_ptr<TensorCopies> copies_;
  std::unique_ptr<Sampler> sampler_;
  StopRule stop_ = {.at_least = 10, .at_most = 120, .rounds = 6, .tight = 0, .seconds = 100};
  Sampling sampling_;
  std::vector<const void*> audited_;
};

TEST_F(SamplerTest, takes_samples_in_rounds) {
  ASSERT_TRUE(sampler_->warm_up(1).error.empty());
  sample();
  EXPECT_EQ(sampling_.all.samples_ns.size(), 120U);
  EXPECT_EQ(sampling_.all.rounds, std::vector<std::int64_t>(12, 10));
  EXPECT_EQ(sampling_.slowed.size(), 120U);
  EXPECT_FALSE(sampling_.sm_clocks_mhz.empty());
}

TEST_F(SamplerTest, has_been_everywhere_before_it_times) {
  ASSERT_TRUE(sampler_->warm_up(1).error.empty());
  const std::set<const void*> warm(g_inputs.begin(), g_inputs.end());
  EXPECT_EQ(warm.size(), TensorCopies::kArrangements * TensorCopies::kMost);
  g_inputs.clear();
  sample();
  const std::set<const void*> timed(g_inputs.begin(), g_inputs.end());
  EXPECT_EQ(timed, warm) << "a call must not know by its memory that it is timed, or audited";
}

TEST_F(SamplerTest, audits_one_call_on_memory_that_other_calls_work_on_too) {
  for (const std::uint64_t secret : {0ull, 1ull, 7ull, 29ull, 12345678901ull}) {
    SetUp();
    audited_.clear();
    sampling_ = {};
    ASSERT_TRUE(sampler_->warm_up(secret).error.empty());
    sample(secret);
    ASSERT_EQ(audited_.size(), 1U);
    EXPECT_NE(std::find(g_inputs.begin(), g_inputs.end(), audited_[0]), g_inputs.end());
  }
}

TEST_F(SamplerTest, knows_which_samples_were_taken_with_lowered_clocks) {
  ASSERT_TRUE(sampler_->warm_up(1).error.empty());
  device_.slow_for(30);
  sample();
  EXPECT_EQ(std::count(sampling_.slowed.begin(), sampling_.slowed.end(), true), 30);
  EXPECT_TRUE(sampling_.slowed[29]);
  EXPECT_FALSE(sampling_.slowed[30]);
  EXPECT_EQ(lowered_words(sampling_.lowered), "power cap");
  EXPECT_EQ(sampling_.all.samples_ns.size(), 120U) << "they count as work that was done";
}

TEST_F(SamplerTest, comes_to_an_end_where_clocks_stay_low) {
  ASSERT_TRUE(sampler_->warm_up(1).error.empty());
  device_.slow_for(1 << 30);
  sample();
  EXPECT_EQ(sampling_.all.samples_ns.size(), 120U);
  EXPECT_EQ(without_slowed(sampling_.all, sampling_.slowed).kept.samples_ns.size(), 120U);
}

TEST_F(SamplerTest, ends_with_the_first_call_that_fails) {
  ASSERT_TRUE(sampler_->warm_up(1).error.empty());
  g_fails_at = static_cast<int>(g_inputs.size()) + 7;
  sample();
  EXPECT_EQ(sampling_.outcome.code, 42);
  EXPECT_EQ(static_cast<int>(g_inputs.size()), g_fails_at);
}

}  // namespace
}  // namespace tactus

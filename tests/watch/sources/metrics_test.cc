#include <gtest/gtest.h>

#include <cmath>

#include "watch/sources/metrics_page.h"
#include "watch/sources/metrics_steps.h"

namespace tactus::watch {
namespace {

std::string vllm_page(double tokens, double seconds, double iterations, double running,
                      double prompts = 0) {
  const auto line = [](const std::string& name, double value) {
    return "vllm:" + name + "{engine=\"0\",model_name=\"m\"} " + std::to_string(value) + "\n";
  };
  return "# HELP vllm:num_requests_running Number of requests.\n"
         "# TYPE vllm:num_requests_running gauge\n" +
         line("num_requests_running", running) +
         "vllm:inter_token_latency_seconds_bucket{le=\"0.01\",engine=\"0\"} 3\n" +
         line("inter_token_latency_seconds_sum", seconds) +
         line("inter_token_latency_seconds_count", tokens) +
         line("iteration_tokens_total_count", iterations) +
         line("generation_tokens_total", tokens) + line("prompt_tokens_total", prompts) +
         line("kv_cache_usage_perc", 0.5);
}

std::vector<MetricsSteps::Found> add(MetricsSteps& steps, const std::string& page, double seconds) {
  return steps.add(engine_metrics(parse_metrics(page)), static_cast<std::int64_t>(seconds * 1e9));
}

TEST(MetricsPage, reads_labels_times_exemplars_and_comments) {
  const MetricsPage page = parse_metrics(
      "# HELP a:b text\n"
      "vllm:a{engine=\"0\",model_name=\"x\\\"y,}\"} 12.5 1700000000000\n"
      "sglang:b +Inf\r\n"
      "plain 1e3 # {trace_id=\"1\"} 0.5\n"
      "# EOF\n");
  ASSERT_EQ(page.samples.size(), 3U);
  EXPECT_EQ(page.bad_lines, 0U);
  EXPECT_EQ(page.samples[0].name, "vllm:a");
  EXPECT_EQ(page.samples[0].labels[1].second, "x\"y,}");
  EXPECT_EQ(page.samples[0].value, 12.5);
  EXPECT_TRUE(std::isinf(page.samples[1].value));
  EXPECT_EQ(page.samples[2].value, 1000);
}

TEST(MetricsPage, counts_lines_that_make_no_sense_and_drops_one_that_is_cut) {
  const MetricsPage page = parse_metrics("x{a=\"b} 1\n=\nname\nname abc\nok 1\nvllm:x 12");
  EXPECT_EQ(page.samples.size(), 1U);
  EXPECT_EQ(page.bad_lines, 5U);
}

TEST(MetricsSteps, are_means_between_two_pages) {
  MetricsSteps steps;
  EXPECT_TRUE(add(steps, vllm_page(1000, 40, 100, 16), 1).empty());
  const std::vector<MetricsSteps::Found> found = add(steps, vllm_page(1320, 52.8, 120, 16), 2);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].engine, "engine 0");
  EXPECT_NEAR(found[0].step.dur_us, 40'000, 1);
  EXPECT_NEAR(found[0].step.sequences, 16, 1e-9);
  EXPECT_NEAR(found[0].step.weight, 20, 1e-9);
  EXPECT_EQ(found[0].step.phase, Phase::kDecode);
}

TEST(MetricsSteps, with_prompts_are_mixed) {
  MetricsSteps steps;
  add(steps, vllm_page(1000, 40, 100, 16, 0), 1);
  const auto found = add(steps, vllm_page(1320, 60, 120, 16, 8000), 2);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].step.phase, Phase::kMixed);
  EXPECT_NEAR(found[0].step.prompt_tokens, 400, 1e-9);
}

TEST(MetricsSteps, begin_again_when_the_server_was_restarted) {
  MetricsSteps steps;
  add(steps, vllm_page(1000, 40, 100, 16), 1);
  EXPECT_TRUE(add(steps, vllm_page(10, 0.4, 1, 16), 2).empty());
  EXPECT_EQ(steps.restarts(), 1U);
  EXPECT_EQ(add(steps, vllm_page(330, 13.2, 21, 16), 3).size(), 1U);
}

TEST(MetricsSteps, tell_a_stall_of_a_server_that_has_requests_and_makes_no_token) {
  MetricsSteps steps;
  add(steps, vllm_page(1000, 40, 100, 16), 1);
  add(steps, vllm_page(1320, 52.8, 120, 16), 2);
  EXPECT_TRUE(add(steps, vllm_page(1320, 52.8, 120, 16), 12).empty());
  const auto found = add(steps, vllm_page(1320, 52.8, 120, 16), 40);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0].step.dur_us, 38e6, 1);
  EXPECT_TRUE(add(steps, vllm_page(1320, 52.8, 120, 16), 41).empty());
  // Idle is not a stall.
  MetricsSteps idle;
  add(idle, vllm_page(1000, 40, 100, 0), 1);
  EXPECT_TRUE(add(idle, vllm_page(1000, 40, 100, 0), 100).empty());
}

TEST(MetricsSteps, understand_sglang) {
  const auto page = [](double tokens, double seconds) {
    return "sglang:num_running_reqs{tp_rank=\"1\"} 8\nsglang:decode_sum_seq_lens{tp_rank=\"1\"} "
           "4000\n"
           "sglang:inter_token_latency_seconds_sum{tp_rank=\"1\"} " +
           std::to_string(seconds) + "\nsglang:inter_token_latency_seconds_count{tp_rank=\"1\"} " +
           std::to_string(tokens) + "\n";
  };
  MetricsSteps steps;
  add(steps, page(0, 0), 1);
  const auto found = add(steps, page(80, 1.6), 2);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].engine, "tp_rank 1");
  EXPECT_NEAR(found[0].step.dur_us, 20'000, 1);
  EXPECT_NEAR(found[0].step.context, 4000, 1e-9);
}

}  // namespace
}  // namespace tactus::watch

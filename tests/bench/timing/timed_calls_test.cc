// What the times of calls say about a candidate.
#include "bench/timing/timed_calls.h"

#include <gtest/gtest.h>

#include "operators/random.h"

namespace tactus {
namespace {

/// Calls of about 1 ms; every fifth is audited and takes `audited` times as long.
TimedCalls calls(int count, double audited) {
  TimedCalls made;
  Random random(5);
  for (int i = 0; i < count; ++i) {
    const bool is_audited = i % 5 == 0;
    const double t_ns = 1e6 * (1 + 0.2 * random.uniform()) * (is_audited ? audited : 1);
    made.sampled.add_to_round(std::span(&t_ns, 1));
    made.audited.push_back(is_audited);
    made.others_before_ns.push_back(0);
    made.others_after_ns.push_back(0);
  }
  return made;
}

TEST(AuditedCalls, that_take_as_long_as_others_say_nothing) {
  EXPECT_EQ(audited_stand_out(calls(300, 1)), "");
}

TEST(AuditedCalls, that_take_longer_or_shorter_can_be_told_apart) {
  EXPECT_NE(audited_stand_out(calls(300, 1.5)), "");
  EXPECT_NE(audited_stand_out(calls(300, 0.5)), "");
}

TEST(AuditedCalls, are_compared_within_their_rounds) {
  // Rounds that something disturbs are slow and short, and each has an audited call.
  TimedCalls made;
  Random random(6);
  for (int round = 0; round < 60; ++round) {
    const bool is_disturbed = round % 2 == 0;
    const int size = is_disturbed ? 2 : 20;
    for (int i = 0; i < size; ++i) {
      const double t_ns = 1e6 * (1 + 0.2 * random.uniform()) * (is_disturbed ? 2 : 1);
      made.sampled.add_to_round(std::span(&t_ns, 1));
      made.audited.push_back(i == 0);
    }
    made.sampled.begin_round();
  }
  EXPECT_EQ(audited_stand_out(made), "");
}

TEST(AuditedCalls, say_nothing_if_they_are_few_or_hardly_different) {
  EXPECT_EQ(audited_stand_out(calls(20, 1.5)), "");
  EXPECT_EQ(audited_stand_out(calls(3000, 1.05)), "");
  EXPECT_EQ(audited_stand_out({}), "");
}

/// Other threads work for `gap_ns` between calls.
TimedCalls with_work_between(double gap_ns, bool other_threads) {
  TimedCalls made = calls(100, 1);
  double spent = 0;
  for (std::size_t i = 0; i < made.others_before_ns.size(); ++i) {
    made.others_before_ns[i] = spent;
    spent += 5e5;  // inside a call they may work
    made.others_after_ns[i] = spent;
    spent += gap_ns;
  }
  made.other_threads = other_threads;
  return made;
}

TEST(WorkAfterReturn, is_found_from_a_share_of_the_call_on) {
  EXPECT_EQ(work_after_return(with_work_between(0, true)), "");
  EXPECT_EQ(work_after_return(with_work_between(2e4, true)), "") << "2%";
  EXPECT_NE(work_after_return(with_work_between(1e5, true)), "");
  EXPECT_NE(work_after_return(with_work_between(1e6, true)), "");
}

TEST(WorkAfterReturn, needs_more_where_there_seem_to_be_no_threads) {
  EXPECT_EQ(work_after_return(with_work_between(8e4, false)), "") << "clocks are read one by one";
  EXPECT_NE(work_after_return(with_work_between(2e5, false)), "");
}

TEST(WorkAfterReturn, is_not_what_clocks_show_beside_as_well) {
  TimedCalls made = with_work_between(2e5, false);
  const TimedCalls control = with_work_between(1.8e5, false);
  made.beside.others_before_ns = control.others_before_ns;
  made.beside.others_after_ns = control.others_after_ns;
  EXPECT_EQ(work_after_return(made), "");
  made.beside.others_before_ns = made.beside.others_after_ns = std::vector<double>(100, 0.0);
  EXPECT_NE(work_after_return(made), "");
}

TEST(WorkAfterReturn, is_not_said_of_one_call) {
  EXPECT_EQ(work_after_return({}), "");
  EXPECT_EQ(work_after_return(calls(1, 1)), "");
}

TEST(WorkAfterReturn, is_not_said_because_of_one_long_gap) {
  TimedCalls made = with_work_between(0, true);
  for (std::size_t i = 50; i < made.others_before_ns.size(); ++i) {
    made.others_before_ns[i] += 1e8;
    made.others_after_ns[i] += 1e8;
  }
  EXPECT_EQ(work_after_return(made), "");
}

/// Calls on a GPU that take 10 us each, with some processor time of other threads between them.
TimedCalls gpu_calls(double tail_ns, double others_s) {
  TimedCalls calls;
  for (int i = 0; i < 20; ++i) {
    ClockedCall call;
    call.device_ns = 10000;
    call.tail_ns = tail_ns;
    call.others_before_s = i * others_s;
    call.others_after_s = (i + 1) * others_s;
    calls.add(call);
  }
  return calls;
}

TEST(GpuCalls, have_the_time_of_the_device) {
  const TimedCalls calls = gpu_calls(1000, 0);
  EXPECT_EQ(calls.sampled.samples_ns, std::vector<double>(20, 10000.0));
}

TEST(GpuCalls, after_which_the_gpu_works_on_are_odd) {
  EXPECT_EQ(work_after_end(gpu_calls(1500, 0), 1000), "");
  EXPECT_NE(work_after_end(gpu_calls(80000, 0), 1000), "");
}

TEST(GpuCalls, beside_busy_threads_are_odd) {
  EXPECT_EQ(busy_threads(gpu_calls(0, 0.0001), 1), "");
  EXPECT_NE(busy_threads(gpu_calls(0, 0.045), 1), "");
}

TEST(GpuCalls, that_take_longer_by_our_clock_are_odd) {
  const TimedCalls calls = gpu_calls(0, 0);
  const RequestTimes honest = {.with_ns = {130000, 150000, 900000},
                               .without_ns = {120000, 121000, 122000}};
  const RequestTimes slow = {.with_ns = {400000, 450000}, .without_ns = {120000, 121000, 122000}};
  EXPECT_EQ(clocks_disagree(calls, {}), "");
  EXPECT_EQ(clocks_disagree(calls, std::vector{honest}), "");
  EXPECT_EQ(clocks_disagree(calls, std::vector{honest, slow}), "") << "one kind is enough";
  EXPECT_NE(clocks_disagree(calls, std::vector{slow}), "");
}

/// 40 calls of 1 ms whose requests cost so much processor time besides.
TimedCalls calls_with_outside(double outside_ns) {
  TimedCalls calls;
  calls.sampled.begin_round();
  const std::vector<double> samples(40, 1e6);
  calls.sampled.add_to_round(samples);
  calls.outside_ns.assign(40, outside_ns);
  return calls;
}

TEST(WorkOutside, is_what_requests_cost_more_than_before_the_candidate_was_there) {
  const std::vector<double> empty = {100e3, 110e3, 105e3, 140e3, 5e6};
  EXPECT_EQ(work_outside(calls_with_outside(110e3), empty), "");
  EXPECT_EQ(work_outside(calls_with_outside(300e3), empty), "") << "cold caches";
  EXPECT_NE(work_outside(calls_with_outside(900e3), empty), "") << "one disturbed request of five";
  EXPECT_EQ(work_outside(calls_with_outside(900e3), {}), "") << "nothing to compare with";
  const std::vector<double> three = {100e3, 110e3, 600e3};
  EXPECT_EQ(work_outside(calls_with_outside(900e3), three), "") << "they differ by that much";
  EXPECT_NE(work_outside(calls_with_outside(1900e3), three), "");
}

TEST(WorkOutside, is_noise_where_calls_take_as_long_without_it) {
  const std::vector<double> empty = {5.7e6, 5.8e6, 5.9e6, 5.8e6, 6e6};
  for (const double honest_ns : {1e6, 1.05e6, 8e6}) {  // of a call that hides nothing
    TimedCalls calls = calls_with_outside(10e6);
    for (std::size_t i = 0; i < calls.outside_ns.size(); ++i) {
      const bool is_cheap = i % 3 == 0;
      calls.outside_ns[i] = is_cheap ? 5.8e6 : 12e6;
      calls.sampled.samples_ns[i] = is_cheap ? honest_ns : 1e6;
    }
    EXPECT_EQ(work_outside(calls, empty).empty(), honest_ns < 2e6) << honest_ns;
  }
  TimedCalls all = calls_with_outside(12e6);
  all.sampled.samples_ns.assign(40, 1e6);
  EXPECT_NE(work_outside(all, empty), "") << "none is without it";
}

/// Requests of a busy machine: dearer by up to 8 ms, one with a call as one beside it without.
TimedCalls calls_on_a_busy_machine(double hidden_ns) {
  TimedCalls calls = calls_with_outside(0);
  Random random(7);
  for (double& outside_ns : calls.outside_ns) {
    const double disturbed_ns = 8e6 * random.uniform();
    outside_ns = 6e6 + disturbed_ns + 2e5 * random.uniform() + hidden_ns;
    calls.beside.outside_ns.push_back(6e6 + disturbed_ns + 2e5 * random.uniform());
  }
  return calls;
}

TEST(WorkOutside, is_compared_with_requests_just_beside) {
  const std::vector<double> empty = {5.7e6, 5.8e6, 5.9e6, 5.8e6, 6e6};  // before it became busy
  TimedCalls alone = calls_on_a_busy_machine(0);
  EXPECT_EQ(work_outside(alone, empty), "");
  alone.beside = {};
  EXPECT_NE(work_outside(alone, empty), "") << "what the comparison is for";
  EXPECT_NE(work_outside(calls_on_a_busy_machine(1e6), empty), "");
  EXPECT_NE(work_outside(calls_on_a_busy_machine(1e6), {}), "");
}

TEST(WorkOutside, is_doubtful_while_some_requests_beside_cost_as_much) {
  TimedCalls few = calls_with_outside(2e6);
  few.outside_ns.resize(8);
  EXPECT_FALSE(work_outside_is_doubtful(few)) << "there is nothing beside";
  few.beside.outside_ns.assign(8, 1e6);
  EXPECT_FALSE(work_outside_is_doubtful(few)) << "it works outside";
  few.beside.outside_ns[3] = 2e6;
  EXPECT_TRUE(work_outside_is_doubtful(few));
  EXPECT_NE(work_outside(few, {}), "") << "as far as is known";
  few.beside.outside_ns.assign(8, 2e6);
  EXPECT_FALSE(work_outside_is_doubtful(few)) << "it does not";
}

TEST(WorkOutside, counts_no_more_for_a_call_than_fits_its_time) {
  ClockedCall call;
  call.caller_cpu_s = 1e-3;
  call.all_cpu_s = 3e-3;
  // 1 ms on this thread and 2 ms on others, of 1.2 and 3.3 ms in all.
  EXPECT_NEAR(outside_the_call_ns(call, 1.2e-3, 3.3e-3, 1e6, 3), 0.3e6, 1);
  // It says that the call took a quarter of that.
  EXPECT_NEAR(outside_the_call_ns(call, 1.2e-3, 3.3e-3, 0.25e6, 3), 0.95e6 + 1.6e6, 1);
}

/// Single calls of about 1.1 us, and series whose calls cost so much.
std::string of_series(std::vector<SeriesTimes::Cost> series, double helped_ns = 0,
                      unsigned threads = 2) {
  TimedCalls made = calls(100, 1);
  for (double& t_ns : made.sampled.samples_ns) t_ns /= 1000;
  made.helped_ns.assign(100, helped_ns);
  for (SeriesTimes::Cost& cost : series) cost.noise_ns = 10;
  return series_disagree(made, {.series = std::move(series), .threads = threads});
}

TEST(Series, that_cost_what_single_calls_take_are_not_odd) {
  EXPECT_EQ(of_series({}), "");
  EXPECT_EQ(of_series({{1000, 1000}}), "");
  EXPECT_EQ(of_series({{9000, 9000}, {1100, 1100}, {9000, 9000}}), "") << "others were busy";
}

TEST(Series, that_all_cost_more_are_odd) {
  EXPECT_NE(of_series({{2000, 2000}, {2100, 2100}}), "");
  EXPECT_NE(of_series({{2000, 2000}}, 500), "") << "other threads did not do so much";
}

TEST(Series, may_share_the_work_differently) {
  EXPECT_EQ(of_series({{2000, 2000}}, 1000), "") << "the work of two threads, on one";
  EXPECT_EQ(of_series({{1000, 2000}}), "") << "each fits into the time";
  EXPECT_NE(of_series({{1000, 3000}}), "") << "the other one does not";
  EXPECT_EQ(of_series({{1000, 3000}}, 0, 3), "");
}

}  // namespace
}  // namespace tactus

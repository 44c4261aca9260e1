// Policies are pure: what they decide is tested without a GPU, a broker or a clock.
#include "gate/policy.h"

#include <gtest/gtest.h>

#include <random>

namespace tactus::gate {
namespace {

constexpr std::int64_t kMs = 1'000'000;

Policy built_in(const std::string& name) {
  Result<Policy> policy = find_policy(name);
  EXPECT_TRUE(policy) << name;
  return policy ? *policy : Policy();
}

std::string error_of(const std::string& text) {
  const Result<Policy> policy = read_policy(text, "p.toml");
  return policy ? "" : policy.error().message;
}

/// One class of work that is on the GPU or not, for a while each.
struct Work {
  std::uint64_t submitted = 0;
  std::uint64_t done = 0;
};

Seen seen_at(std::int64_t now, const Work& decode, const Work& prefill) {
  Seen seen;
  seen.now_ns = now;
  seen.classes[0] = {decode.submitted, decode.done, 0};
  seen.classes[1] = {prefill.submitted, prefill.done, 0};
  return seen;
}

TEST(GatePolicy, built_in_ones_are_read) {
  for (const std::string& name : policy_names()) {
    const Policy policy = built_in(name);
    EXPECT_EQ(name_of(policy.kind), name);
    EXPECT_EQ(policy.classes, (std::vector<std::string>{"decode", "prefill"}));
    EXPECT_EQ(policy.max_hold_ns, 20 * kMs);
  }
}

TEST(GatePolicy, bad_files_are_refused_with_the_line) {
  const std::string classes = "[[class]]\nname = \"a\"\n[[class]]\nname = \"b\"\n";
  EXPECT_EQ(error_of("policy = \"window\"\nfirst = \"a\"\nhold_mss = 3\n" + classes),
            "p.toml: line 3: unknown key \"hold_mss\"; did you mean \"hold_ms\"?");
  EXPECT_EQ(error_of("policy = \"none\"\n" + classes),
            "p.toml: line 1: policy must be one of open, priority, share, slo, window");
  EXPECT_EQ(error_of("policy = \"priority\"\nfirst = \"a\"\nsecond = \"c\"\n" + classes),
            "p.toml: line 3: there is no [[class]] with the name \"c\"");
  EXPECT_EQ(error_of("policy = \"priority\"\nfirst = \"a\"\nsecond = \"a\"\n" + classes),
            "p.toml: line 3: first and second must be two classes");
  EXPECT_EQ(error_of("policy = \"open\"\nmax_hold_ms = 101\n" + classes),
            "p.toml: line 2: max_hold_ms must be a number from 0 to 100");
  EXPECT_EQ(error_of("policy = \"open\"\nmax_hold_ms = nan\n" + classes),
            "p.toml: line 2: max_hold_ms must be a number from 0 to 100");
  EXPECT_EQ(error_of("policy = \"share\"\nshare = { c = 0.5 }\n" + classes),
            "p.toml: line 2: there is no [[class]] with the name \"c\"");
  EXPECT_NE(
      error_of("policy = \"open\"\n[[class]]\nname = \"a\"\nkind = \"copy\"\n").find("line 4"),
      std::string::npos);
  EXPECT_EQ(error_of("policy = \"open\"\ndepth = { c = 4 }\n" + classes),
            "p.toml: line 2: there is no [[class]] with the name \"c\"");
  EXPECT_EQ(error_of("policy = \"open\"\ndepth = { a = 65 }\n" + classes),
            "p.toml: line 2: a must be a number from 0 to 64");
  EXPECT_EQ(error_of("policy = \"open\"\ndepth = 4\n" + classes),
            "p.toml: line 2: depth must be a table: { CLASS = 16 }");
  const std::string in_class = "policy = \"open\"\n[[class]]\nname = \"a\"\n";
  EXPECT_EQ(error_of(in_class + "least_rows = 0\n"),
            "p.toml: line 4: least_rows must be a whole number from 1 to 1099511627776");
  EXPECT_EQ(error_of(in_class + "most_rows = 8.5\n"),
            "p.toml: line 4: most_rows must be a whole number from 1 to 1099511627776");
  EXPECT_EQ(error_of(in_class + "most_rows = 8\nleast_rows = 9\n"),
            "p.toml: line 4: nothing fits: most_rows is less than least_rows");
  EXPECT_EQ(error_of(in_class + "kind = \"graph\"\nleast_rows = 9\n"),
            "p.toml: line 2: a graph has no rows: least_rows and most_rows are for kernels");
  EXPECT_EQ(error_of(in_class + "least_priority = 1\nmost_priority = 0\n"),
            "p.toml: line 5: nothing fits: most_priority is less than least_priority");
  EXPECT_NE(error_of("policy = [}]").find("p.toml: line 1"), std::string::npos);
  EXPECT_NE(error_of("\xff"), "");
  EXPECT_NE(error_of(""), "");
}

TEST(GatePolicy, open_closes_nothing_and_counts_nothing) {
  const Policy policy = built_in("open");
  PolicyState state;
  EXPECT_EQ(decide(policy, state, seen_at(1, {5, 0}, {3, 0})).closed, 0u);
  EXPECT_EQ(counted_classes(policy), 0u);
}

TEST(GatePolicy, priority_holds_prefill_while_decode_is_on_the_gpu) {
  const Policy policy = built_in("priority");
  PolicyState state;
  EXPECT_EQ(decide(policy, state, seen_at(1 * kMs, {0, 0}, {9, 0})).closed, 0u);
  EXPECT_EQ(decide(policy, state, seen_at(2 * kMs, {1, 0}, {9, 0})).closed, 2u);
  EXPECT_EQ(decide(policy, state, seen_at(3 * kMs, {1, 1}, {9, 0})).closed, 0u);
}

TEST(GatePolicy, priority_does_not_wait_for_a_unit_that_never_ends) {
  const Policy policy = built_in("priority");
  PolicyState state;
  decide(policy, state, seen_at(0, {1, 0}, {9, 0}));
  EXPECT_EQ(decide(policy, state, seen_at(60 * kMs, {1, 0}, {9, 0})).closed, 0u);
}

TEST(GatePolicy, priority_keeps_the_floor_of_prefill_whatever_decode_does) {
  for (const double floor : {0.05, 0.1, 0.5}) {
    Policy policy = built_in("priority");
    policy.floor = floor;
    std::mt19937 random(7);
    PolicyState state;
    Work decode;
    std::int64_t now = 0;
    std::int64_t open = 0;
    bool was_open = true;
    std::int64_t again = 0;
    for (int i = 0; i < 20'000; ++i) {
      std::int64_t next = now + 1 + static_cast<std::int64_t>(random()) % (2 * kMs);
      // As the broker does: at the latest when the policy asked for it.
      if (again != 0) next = std::min(next, std::max(again, now + 1));
      if (was_open) open += next - now;
      now = next;
      if (random() % 4 != 0) {
        // Decode is on the GPU nearly all the time.
        if (decode.submitted == decode.done) {
          ++decode.submitted;
        } else if (random() % 16 == 0) {
          decode.done = decode.submitted++;
        }
      }
      const Decision decision = decide(policy, state, seen_at(now, decode, {1, 0}));
      was_open = (decision.closed & 2) == 0;
      again = decision.again_at_ns;
      EXPECT_EQ(decision.closed & 1, 0u);
    }
    EXPECT_GE(static_cast<double>(open),
              floor * static_cast<double>(now) - 2 * static_cast<double>(policy.slice_ns))
        << floor;
  }
}

TEST(GatePolicy, share_never_closes_everybody) {
  Policy policy = built_in("share");
  policy.share = {0.3, 0.3};
  std::mt19937 random(3);
  PolicyState state;
  Work work[2];
  std::int64_t now = 0;
  std::uint32_t closed_once = 0;
  for (int i = 0; i < 20'000; ++i) {
    now += random() % kMs;
    for (Work& one : work) {
      if (random() % 2 != 0) ++one.submitted;
      if (random() % 8 == 0) one.done = one.submitted;
    }
    const Decision decision = decide(policy, state, seen_at(now, work[0], work[1]));
    EXPECT_NE(decision.closed, 3u);
    closed_once |= decision.closed;
  }
  EXPECT_NE(closed_once, 0u);
}

TEST(GatePolicy, share_holds_nobody_who_is_alone) {
  const Policy policy = built_in("share");
  PolicyState state;
  for (std::int64_t now = 0; now < 1000 * kMs; now += kMs) {
    EXPECT_EQ(decide(policy, state, seen_at(now, {0, 0}, {100, 0})).closed, 0u);
  }
}

TEST(GatePolicy, slo_closes_prefill_when_a_token_could_be_late) {
  Policy policy = built_in("slo");
  policy.target_ns = 20 * kMs;
  PolicyState state;
  // A decode unit takes 4 ms, one of prefill 6 ms.
  decide(policy, state, seen_at(1 * kMs, {1, 0}, {0, 0}));
  decide(policy, state, seen_at(5 * kMs, {1, 1}, {1, 0}));
  const Decision early = decide(policy, state, seen_at(11 * kMs, {1, 1}, {1, 1}));
  EXPECT_EQ(early.closed, 0u);
  // Due at 25 ms; 4 ms for decode, 6 ms for a prefill unit: from 15 ms on.
  EXPECT_EQ(early.again_at_ns, 15 * kMs + 1);
  EXPECT_EQ(decide(policy, state, seen_at(16 * kMs, {1, 1}, {1, 1})).closed, 2u);
  EXPECT_EQ(decide(policy, state, seen_at(200 * kMs, {1, 1}, {1, 1})).closed, 0u);
}

TEST(GatePolicy, slo_goes_by_the_measured_cost_and_by_what_may_be_queued) {
  Policy policy = built_in("slo");
  policy.target_ns = 20 * kMs;
  policy.depth = {0, 4};
  policy.queue_ns = 0;
  PolicyState state;
  const auto seen = [&](std::int64_t now, const Work& decode, const Work& prefill) {
    Seen out = seen_at(now, decode, prefill);
    out.classes[0].cost_ns = 3 * kMs;
    out.classes[1].cost_ns = kMs / 2;
    return out;
  };
  decide(policy, state, seen(1 * kMs, {1, 0}, {0, 0}));
  // Prefill launched 100 times, which takes 50 ms; but only four are on the GPU.
  decide(policy, state, seen(5 * kMs, {1, 1}, {100, 0}));
  const Decision decision = decide(policy, state, seen(6 * kMs, {1, 1}, {100, 100}));
  EXPECT_EQ(decision.closed, 0u);
  // Due at 25 ms; 3 ms for decode, 2 ms for four launches.
  EXPECT_EQ(decision.again_at_ns, 20 * kMs + 1);
}

TEST(GatePolicy, slo_closes_earlier_after_a_token_that_was_late) {
  Policy policy = built_in("slo");
  policy.target_ns = 60 * kMs;
  policy.unit_limit_ns = 200 * kMs;
  PolicyState state;
  std::int64_t now = kMs;
  std::uint64_t tokens = 0;
  const auto token_after = [&](std::int64_t took) {
    decide(policy, state, seen_at(now, {tokens + 1, tokens}, {1, 0}));
    now += took;
    ++tokens;
    return decide(policy, state, seen_at(now, {tokens, tokens}, {1, 0})).again_at_ns - now;
  };
  token_after(10 * kMs);
  const std::int64_t before = token_after(10 * kMs);
  token_after(70 * kMs);
  EXPECT_LT(token_after(10 * kMs), before);
}

TEST(GatePolicy, slo_blames_prefill_though_tokens_seem_to_take_so_long_always) {
  // Measured beside prefill, a token costs more than alone. That must not become an excuse.
  Policy policy = built_in("slo");
  policy.target_ns = 20 * kMs;
  PolicyState state;
  std::int64_t now = kMs;
  for (std::uint64_t tokens = 0; tokens < 10; ++tokens) {
    for (const bool is_done : {false, true}) {
      Seen seen = seen_at(now, {tokens + 1, is_done ? tokens + 1 : tokens}, {1, 0});
      seen.classes[0].cost_ns = 18 * kMs;
      decide(policy, state, seen);
      if (!is_done) now += 21 * kMs;
    }
    now += kMs / 10;
  }
  EXPECT_LT(state.grace_ns, 0);
}

TEST(GatePolicy, slo_does_not_blame_prefill_for_tokens_that_were_asked_for_late) {
  Policy policy = built_in("slo");
  policy.target_ns = 20 * kMs;
  PolicyState state;
  std::uint64_t tokens = 0;
  for (std::int64_t now = kMs; now < 3000 * kMs; now += 30 * kMs) {
    for (const bool is_done : {false, true}) {
      Seen seen =
          seen_at(is_done ? now + 4 * kMs : now, {tokens + 1, tokens + (is_done ? 1 : 0)}, {1, 0});
      seen.classes[0].cost_ns = 4 * kMs;
      decide(policy, state, seen);
    }
    ++tokens;
  }
  EXPECT_GE(state.grace_ns, 0);
  // No token is due that could be in time: prefill goes on.
  const std::int64_t late = state.last_done_ns[0] + 19 * kMs;
  EXPECT_EQ(decide(policy, state, seen_at(late, {tokens, tokens}, {1, 0})).closed, 0u);
}

TEST(GatePolicy, slo_by_turns_lets_decode_wait_while_it_is_in_time) {
  Policy policy = built_in("slo");
  policy.target_ns = 10 * kMs;
  policy.turns = true;
  policy.depth = {0, 4};
  PolicyState state;
  const auto closed_at = [&](std::int64_t now, Work decode, Work prefill, std::uint32_t waiting) {
    Seen seen = seen_at(now, decode, prefill);
    seen.classes[0].cost_ns = 4 * kMs;
    seen.classes[0].waiting = waiting;
    seen.classes[1].cost_ns = kMs / 10;
    return decide(policy, state, seen).closed;
  };
  closed_at(10 * kMs, {1, 0}, {0, 0}, 0);
  // Nobody else: it goes on.
  EXPECT_EQ(closed_at(14 * kMs, {1, 1}, {0, 0}, 0), 0u);
  closed_at(15 * kMs, {2, 1}, {0, 0}, 0);
  // The token is there at 20 ms; the next is due at 30 ms.
  EXPECT_EQ(closed_at(20 * kMs, {2, 2}, {9, 0}, 0), 1u);
  EXPECT_EQ(closed_at(23 * kMs, {2, 2}, {9, 0}, 1), 1u);
  // 45% of the target is the most; then both, then decode alone, and its next unit has to wait.
  EXPECT_EQ(closed_at(24 * kMs + 600'000, {2, 2}, {9, 0}, 1), 0u);
  EXPECT_EQ(closed_at(26 * kMs, {3, 2}, {9, 0}, 0), 3u);
  // A unit of several launches is not cut in two.
  state.per_unit[0] = 5;
  EXPECT_EQ(closed_at(27 * kMs, {3, 2}, {9, 0}, 0), 2u);
}

TEST(GatePolicy, depth_counts_while_another_class_is_there) {
  Policy policy = built_in("priority");
  policy.depth = {0, 4};
  PolicyState state;
  EXPECT_EQ(decide(policy, state, seen_at(1 * kMs, {0, 0}, {9, 0})).limited, 0u);
  EXPECT_EQ(decide(policy, state, seen_at(2 * kMs, {1, 0}, {9, 0})).limited, 2u);
  EXPECT_EQ(decide(policy, state, seen_at(3 * kMs, {1, 1}, {9, 0})).limited, 2u);
  EXPECT_EQ(decide(policy, state, seen_at(200 * kMs, {1, 1}, {9, 0})).limited, 0u);
}

TEST(GatePolicy, fewer_launches_are_queued_if_they_are_long) {
  Policy policy = built_in("priority");
  policy.depth = {0, 16};
  policy.queue_ns = kMs;
  EXPECT_EQ(depth_now(policy, 1, 0), 16u);
  EXPECT_EQ(depth_now(policy, 1, 10'000), 16u);
  EXPECT_EQ(depth_now(policy, 1, 100'000), 10u);
  EXPECT_EQ(depth_now(policy, 1, 5 * kMs), 2u);
  EXPECT_EQ(depth_now(policy, 0, 5 * kMs), 0u);
  policy.queue_ns = 0;
  EXPECT_EQ(depth_now(policy, 1, 5 * kMs), 16u);
}

TEST(GatePolicy, share_takes_what_launches_cost_from_the_bucket) {
  Policy policy = built_in("share");
  policy.share = {0, 0.5};
  for (const std::uint64_t cost : {std::uint64_t{1'000}, std::uint64_t{100 * kMs}}) {
    PolicyState state;
    Seen seen = seen_at(kMs, {1, 0}, {0, 0});
    decide(policy, state, seen);
    seen = seen_at(2 * kMs, {1, 0}, {1, 0});
    seen.classes[1].cost_ns = cost;
    EXPECT_EQ(decide(policy, state, seen).closed != 0, cost > kMs) << cost;
  }
}

TEST(GatePolicy, window_holds_its_class_for_its_time) {
  const Policy policy = built_in("window");
  PolicyState state;
  EXPECT_EQ(decide(policy, state, seen_at(5 * kMs, {}, {})).closed, 2u);
  EXPECT_EQ(decide(policy, state, seen_at(104 * kMs, {}, {})).closed, 2u);
  EXPECT_EQ(decide(policy, state, seen_at(106 * kMs, {}, {})).closed, 0u);
  EXPECT_EQ(decide(policy, state, seen_at(1006 * kMs, {}, {})).closed, 2u);
}

TEST(GatePolicy, time_that_goes_back_does_no_harm) {
  for (const std::string& name : policy_names()) {
    const Policy policy = built_in(name);
    PolicyState state;
    std::mt19937 random(5);
    for (int i = 0; i < 2000; ++i) {
      const auto now = static_cast<std::int64_t>(random());
      const Decision decision =
          decide(policy, state, seen_at(now, {random(), random()}, {random(), random()}));
      EXPECT_EQ(decision.closed & ~3u, 0u);
    }
  }
}

}  // namespace
}  // namespace tactus::gate

// The gate and programs that run through it, with the driver without a GPU.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "base/json.h"
#include "gate/fake_broker.h"
#include "record/recorded_program.h"
#include "support/files.h"
#include "support/paths.h"

namespace tactus {
namespace {

using testing::FakeBroker;
using testing::program;
using testing::run_command;
using testing::start_command;
using testing::TemporaryFolder;
using testing::wait_for;
using testing::wait_until;

constexpr const char* kHoldAll =
    "policy = \"window\"\nfirst = \"all\"\nhold_ms = 500\nevery_ms = 501\nmax_hold_ms = 2\n"
    "members = [\"sleep_us_1_splitKreduce\", \"FlashAttnFwdSm90\"]\n[[class]]\nname = \"all\"\n";

constexpr const char* kDepth =
    "policy = \"open\"\nmax_hold_ms = 100\ndepth = { prefill = 4 }\n"
    "[[class]]\nname = \"decode\"\nphase = \"decode\"\n[[class]]\nname = \"prefill\"\n";

void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
}

/// A gate of its own for each test.
std::string own_address() {
  static int number = 0;
  return "@tactus-gate-test-" + std::to_string(getpid()) + "-" + std::to_string(number++);
}

/// "tactus gate ...", at an address.
std::string gate_at(const std::string& address, const std::string& arguments) {
  return "TACTUS_GATE_SOCKET=" + address + " " TACTUS_TOOL " gate " + arguments;
}

/// A program as it would be started by `tactus gate`, without it.
std::string with_agent(const std::string& address, const std::string& command) {
  return "AGENT=$(" TACTUS_TOOL
         " record --print-agent); LD_PRELOAD=$AGENT TACTUS_GATE=1 "
         "TACTUS_GATE_SOCKET=" +
         address + " " + command;
}

/// The document that follows the output of a program.
Json document_of(const std::string& output) {
  const std::size_t begin = output.find('{');
  return Json::parse(begin == std::string::npos ? "" : output.substr(begin));
}

double count_of(const Json& document, const std::string& key) {
  return document.at("classes").at(std::size_t{0}).number_at(key).value_or(-1);
}

/// Of a log, without numbers of processes.
std::vector<std::vector<std::string>> streams_of(const std::string& path) {
  std::vector<std::vector<std::string>> out;
  for (const auto& [where, works] : testing::read_log(path)) {
    std::vector<std::string>& lines = out.emplace_back();
    for (const testing::LoggedWork& work : works) {
      // "mix" gets an address, which differs from run to run; what it computes is compared.
      lines.push_back(work.what + " " + work.name + " " + work.grid + " " + work.block + " " +
                      (work.name == "mix" ? "" : work.hash));
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

TEST(Gate, held_launches_reach_the_driver_once_in_order_with_the_same_arguments) {
  const TemporaryFolder folder;
  write_text(folder.file("hold.toml"), kHoldAll);
  for (const std::string work :
       {"server 20 4 eager proc 2 0", "server 20 4 graph thread 2 0", "server 20 4 eager dlsym 3 0",
        "gated 300 - count sleep_us_1_splitKreduce"}) {
    const std::string plain_log = folder.file("plain.log");
    const std::string gated_log = folder.file("gated.log");
    const std::string plain = run_command("STANDIN_LOG=" + plain_log + " " + program(work)).out;
    const testing::Ended gated =
        run_command("STANDIN_LOG=" + gated_log + " " +
                    gate_at(own_address(), "--json --policy " + folder.file("hold.toml") + " -- " +
                                               program(work)));
    EXPECT_EQ(gated.code, 0) << work;
    // What "gated" prints is a time.
    if (work.starts_with("server")) {
      EXPECT_EQ(gated.out.substr(0, plain.size()), plain) << work;
    }
    EXPECT_EQ(streams_of(plain_log), streams_of(gated_log)) << work;
    const Json document = document_of(gated.out);
    ASSERT_TRUE(document.is_object()) << gated.out;
    EXPECT_GT(count_of(document, "held"), 0) << work;
    std::filesystem::remove(plain_log);
    std::filesystem::remove(gated_log);
  }
}

TEST(Gate, lets_no_more_launches_than_the_depth_be_queued) {
  const TemporaryFolder folder;
  write_text(folder.file("depth.toml"), kDepth);
  const auto most = [&](const std::string& before, const std::string& arguments) {
    return std::atoi(run_command(before + program("deep " + arguments)).out.c_str());
  };
  const auto gated = [&](const std::string& options) {
    return gate_at(own_address(), options + " -- ");
  };
  EXPECT_GT(most("", "2"), 5);
  // Four behind the first, which is of the other class.
  EXPECT_LE(most(gated("-q --policy " + folder.file("depth.toml")), "100 5"), 5);
  EXPECT_GT(most(gated("-q --policy open"), "2"), 5);
  const testing::Ended ended =
      run_command(gated("--json --policy " + folder.file("depth.toml")) + program("deep 100 5"));
  const Json document = document_of(ended.out);
  ASSERT_TRUE(document.is_object()) << ended.out;
  const Json& prefill = document.at("classes").at(std::size_t{1});
  EXPECT_GT(prefill.number_at("queued").value_or(0), 0);
  EXPECT_GT(prefill.number_at("cost_ns").value_or(0), 0);
  EXPECT_EQ(prefill.number_at("held").value_or(-1), 0);
}

TEST(Gate, loses_no_launch_by_the_depth_limit) {
  const TemporaryFolder folder;
  write_text(folder.file("depth.toml"), kDepth);
  for (const std::string work : {"deep 4", "server 20 4 eager proc 2 0", "family fork"}) {
    const std::string plain_log = folder.file("plain.log");
    const std::string gated_log = folder.file("gated.log");
    run_command("STANDIN_LOG=" + plain_log + " " + program(work));
    const testing::Ended gated =
        run_command("STANDIN_LOG=" + gated_log + " " +
                    gate_at(own_address(),
                            "-q --policy " + folder.file("depth.toml") + " -- " + program(work)));
    EXPECT_EQ(gated.code, 0) << work;
    EXPECT_EQ(streams_of(plain_log), streams_of(gated_log)) << work;
    std::filesystem::remove(plain_log);
    std::filesystem::remove(gated_log);
  }
}

TEST(Gate, learns_how_long_a_graph_takes) {
  const testing::Ended ended = run_command(
      gate_at(own_address(), "--json --policy slo -- " + program("server 100 4 graph proc 1 0")));
  const Json document = document_of(ended.out);
  ASSERT_TRUE(document.is_object()) << ended.out;
  // By the driver's own clock, its longest node takes 200 us.
  EXPECT_GE(count_of(document, "cost_ns"), 200'000);
}

TEST(Gate, holds_heads_of_groups_only_and_no_collectives) {
  const TemporaryFolder folder;
  write_text(folder.file("hold.toml"), kHoldAll);
  const auto held = [&](const std::string& names) {
    const testing::Ended ended =
        run_command(gate_at(own_address(), "--json --policy " + folder.file("hold.toml") + " -- " +
                                               program("gated 200 - " + names)));
    const Json document = document_of(ended.out);
    return document.is_object() ? count_of(document, "held") : -1;
  };
  EXPECT_GT(held("sleep_us_1_nvjet"), 0);
  EXPECT_EQ(held("sleep_us_1_splitKreduce"), 0);
  EXPECT_EQ(held("sleep_us_1_ncclDevKernel_AllReduce"), 0);
  // Names as the driver has them: a wrapper holds kernels of all kinds.
  EXPECT_EQ(held("_ZN7cutlass13device_kernelIN5flash16FlashAttnFwdSm90IiEEEEvNT_6ParamsE"), 0);
  EXPECT_GT(held("_ZN7cutlass13device_kernelINS_4gemm6kernel13GemmUniversalIiEEEEvNT_6ParamsE"), 0);
}

TEST(Gate, says_what_of_a_wait_was_for_want_of_a_core) {
  const TemporaryFolder folder;
  write_text(folder.file("hold.toml"), kHoldAll);
  const Json document = document_of(
      run_command(gate_at(own_address(), "--json --policy " + folder.file("hold.toml") + " -- " +
                                             program("gated 200 - sleep_us_1_a")))
          .out);
  ASSERT_TRUE(document.is_object());
  EXPECT_GT(count_of(document, "longest_ns"), 0);
  // Nothing is held for longer than max_hold; what a wait takes beyond it, it spends without a
  // core.
  EXPECT_LE(count_of(document, "longest_ns"), 2e6 + count_of(document, "latest_ns"));
}

TEST(Gate, classes_are_told_apart_by_phase_and_tag) {
  const TemporaryFolder folder;
  write_text(folder.file("hold.toml"),
             "policy = \"window\"\nfirst = \"prefill\"\nhold_ms = 500\nevery_ms = 501\n"
             "max_hold_ms = 2\n[[class]]\nname = \"prefill\"\nphase = \"prefill\"\n"
             "[[class]]\nname = \"prefill\"\ntag = \"slow\"\n");
  const auto held = [&](const std::string& options, const std::string& phase) {
    const testing::Ended ended = run_command(
        gate_at(own_address(), "--json " + options + " --policy " + folder.file("hold.toml") +
                                   " -- " + program("gated 200 " + phase + " sleep_us_1_a")));
    const Json document = document_of(ended.out);
    return document.is_object() ? count_of(document, "held") : -1;
  };
  EXPECT_GT(held("", "prefill"), 0);
  EXPECT_EQ(held("", "decode"), 0);
  EXPECT_EQ(held("", "-"), 0);
  EXPECT_GT(held("--tag slow", "-"), 0);
}

/// Of a program whose launches are held if they belong to products of 64 rows or more.
Json held_by_rows(const std::string& work) {
  const TemporaryFolder folder;
  write_text(folder.file("hold.toml"),
             "policy = \"window\"\nfirst = \"prefill\"\nhold_ms = 500\nevery_ms = 501\n"
             "max_hold_ms = 1\n[[class]]\nname = \"prefill\"\nleast_rows = 64\n"
             "[[class]]\nname = \"decode\"\nmost_rows = 63\n");
  return document_of(
      run_command(gate_at(own_address(),
                          "--json --policy " + folder.file("hold.toml") + " -- " + program(work)))
          .out);
}

TEST(Gate, classes_are_told_apart_by_the_rows_of_products) {
  for (const std::string how : {"", " lt", " batched"}) {
    const Json prefill = held_by_rows("tokens 50 512" + how);
    ASSERT_TRUE(prefill.is_object()) << how;
    EXPECT_GT(count_of(prefill, "held"), 0) << how;
    const Json decode = held_by_rows("tokens 50 8" + how);
    ASSERT_TRUE(decode.is_object()) << how;
    EXPECT_EQ(count_of(decode, "held"), 0) << how;
    EXPECT_EQ(count_of(decode, "admitted"), 0) << how;
    // A kernel that is not a product belongs to the product before it.
    const double kernels = how == " lt" ? 2 : how == " batched" ? 4 : 3;
    EXPECT_GE(decode.at("classes").at(std::size_t{1}).number_at("admitted").value_or(0),
              49 * kernels)
        << how;
  }
}

TEST(Gate, rows_are_forgotten_when_the_thread_waits) {
  // A fourth kernel per step comes before the product: it has no rows, and belongs to no class.
  const Json document = held_by_rows("tokens 50 8 before");
  ASSERT_TRUE(document.is_object());
  const double admitted =
      document.at("classes").at(std::size_t{1}).number_at("admitted").value_or(-1);
  EXPECT_GE(admitted, 3 * 49);
  EXPECT_LE(admitted, 3 * 50);
}

TEST(Gate, holds_only_the_first_launch_of_a_product) {
  const Json document = held_by_rows("tokens 50 512");
  ASSERT_TRUE(document.is_object());
  EXPECT_GE(count_of(document, "admitted"), 3 * 49);
  EXPECT_LE(count_of(document, "held"), 2 * 50);
  EXPECT_GT(count_of(document, "held"), 0);
}

TEST(Gate, does_not_hold_a_process_whose_other_ranks_are_elsewhere) {
  const TemporaryFolder folder;
  write_text(folder.file("hold.toml"), kHoldAll);
  const std::string tail =
      "--json --policy " + folder.file("hold.toml") + " -- " + program("gated 200 - sleep_us_1_a");
  for (const auto& [world, is_held] : {std::pair("2", false), std::pair("1", true)}) {
    const testing::Ended ended =
        run_command("RANK=0 WORLD_SIZE=" + std::string(world) + " " + gate_at(own_address(), tail));
    const Json document = document_of(ended.out);
    ASSERT_TRUE(document.is_object());
    EXPECT_EQ(count_of(document, "held") > 0, is_held) << world;
  }
}

TEST(Gate, of_a_family_every_process_comes_through) {
  const TemporaryFolder folder;
  write_text(folder.file("hold.toml"), kHoldAll);
  for (const std::string work :
       {"family storm 20", "family fork", "family late", "family closed"}) {
    const std::string log = folder.file("log");
    const std::string plain_log = folder.file("plain");
    run_command("STANDIN_LOG=" + plain_log + " " + program(work));
    const testing::Ended ended = run_command(
        "STANDIN_LOG=" + log + " " +
        gate_at(own_address(), "--policy " + folder.file("hold.toml") + " -- " + program(work)));
    EXPECT_EQ(ended.code, 0) << work;
    EXPECT_EQ(streams_of(plain_log), streams_of(log)) << work;
    std::filesystem::remove(log);
    std::filesystem::remove(plain_log);
  }
}

TEST(Gate, that_is_not_there_changes_nothing) {
  const std::string work = program("server 10 4 eager proc 2");
  EXPECT_EQ(run_command(with_agent(own_address(), work)).out, run_command(work).out);
}

TEST(Gate, ends_as_the_command_does) {
  EXPECT_EQ(run_command(gate_at(own_address(), "-- sh -c 'exit 7'")).code, 7);
  EXPECT_EQ(run_command(gate_at(own_address(), "-- sh -c 'kill -9 $$'")).code, 137);
  EXPECT_EQ(run_command(gate_at(own_address(), "-- /no/such/program")).code, 127);
  EXPECT_EQ(run_command(gate_at(own_address(), "")).code, 2);
  EXPECT_EQ(run_command(gate_at(own_address(), "status")).code, 2);
  EXPECT_EQ(run_command(gate_at(own_address(), "--policy /no/such/file -- true")).code, 2);
}

TEST(Gate, is_one_per_user_and_others_join_it) {
  const std::string address = own_address();
  const int broker = start_command({TACTUS_TOOL, "gate", "serve", "--policy", "priority"},
                                   {"TACTUS_GATE_SOCKET=" + address});
  ASSERT_TRUE(wait_until([&] { return run_command(gate_at(address, "status")).code == 0; }));
  EXPECT_EQ(run_command(gate_at(address, "serve --policy open")).code, 2);
  EXPECT_EQ(run_command(gate_at(address, "detach 1")).code, 2);
  EXPECT_EQ(run_command(gate_at(address, "--tag decode -- " + program("server 5 4 graph"))).code,
            0);
  const Json status = document_of(run_command(gate_at(address, "status --json")).out);
  ASSERT_TRUE(status.is_object());
  EXPECT_GT(count_of(status, "admitted"), 0);
  EXPECT_TRUE(status.at("clients").empty());
  EXPECT_EQ(run_command(gate_at(address, "stop")).code, 0);
  EXPECT_EQ(wait_for(broker), 0);
}

TEST(Gate, that_starts_again_is_joined_by_programs_that_run) {
  const std::string address = own_address();
  const auto start = [&] {
    return start_command({TACTUS_TOOL, "gate", "serve", "-q", "--policy", "open"},
                         {"TACTUS_GATE_SOCKET=" + address});
  };
  const auto is_joined = [&] {
    const Json status = document_of(run_command(gate_at(address, "status --json")).out);
    return status.is_object() && !status.at("clients").empty();
  };
  int broker = start();
  const int work = start_command(
      {"/bin/sh", "-c", with_agent(address, "exec " + program("server 1000000 4 eager proc 1"))},
      {});
  EXPECT_TRUE(wait_until(is_joined));
  for (const bool is_killed : {false, true}) {
    if (is_killed) {
      kill(broker, SIGKILL);
    } else {
      run_command(gate_at(address, "stop"));
    }
    wait_for(broker);
    broker = start();
    EXPECT_TRUE(wait_until(is_joined)) << is_killed;
  }
  kill(work, SIGKILL);
  wait_for(work);
  kill(broker, SIGKILL);
  wait_for(broker);
}

TEST(Gate, of_another_user_is_not_joined_and_others_are_not_let_in) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to be another user";
  const std::string address = own_address();
  const int broker = start_command({TACTUS_TOOL, "gate", "serve", "--policy", "priority"},
                                   {"TACTUS_GATE_SOCKET=" + address});
  ASSERT_TRUE(wait_until([&] { return run_command(gate_at(address, "status")).code == 0; }));
  const pid_t other = fork();
  if (other == 0) {
    if (setuid(65534) != 0) _exit(1);
    setenv("TACTUS_GATE_SOCKET", address.c_str(), 1);
    execl(TACTUS_TOOL, TACTUS_TOOL, "gate", "stop", static_cast<char*>(nullptr));
    _exit(1);
  }
  EXPECT_NE(wait_for(other), 0);
  const Json status = document_of(run_command(gate_at(address, "status --json")).out);
  ASSERT_TRUE(status.is_object()) << "it was stopped by another user";
  EXPECT_GT(status.number_at("refused").value_or(0), 0);
  run_command(gate_at(address, "stop"));
  wait_for(broker);
}

TEST(Gate, memory_that_lies_does_not_harm_a_program) {
  const std::string work = program("server 10 4 eager proc 2");
  const std::string expected = run_command(work).out;
  const std::vector<FakeBroker::Lies> all = {
      {},
      {.change = [](wire::GateControl& c) { c.magic = 1; }},
      {.change = [](wire::GateControl& c) { c.version = 99; }},
      {.change = [](wire::GateControl& c) { c.bytes = 1; }},
      {.change = [](wire::GateControl& c) { c.rules = 0xffffffff; }},
      {.change = [](wire::GateControl& c) { c.members = 0xffffffff; }},
      {.change = [](wire::GateControl& c) { c.rule[0].class_number = 77; }},
      {.change =
           [](wire::GateControl& c) {
             for (std::uint32_t& depth : c.depth) depth = 0xffffffff;
             c.timed = 0xffffffff;
             c.word = 0xffff00;
           }},
      {.change = [](wire::GateControl& c) { c.word = 0xffffffff; }},
      {.change = [](wire::GateControl& c) { c.max_hold_ns = ~std::uint64_t{0}; }},
      {.change = [](wire::GateControl& c) { c.heartbeat_ns = 0; }},
      {.change = [](wire::GateControl& c) { c.heartbeat_ns = ~std::uint64_t{0}; }},
      {.change = [](wire::GateControl& c) { c.is_serving = 0; }},
      {.greet = [](wire::GateWelcome& w) { w.slot = 0xffffffff; }},
      {.greet = [](wire::GateWelcome& w) { w.version = 2; }},
      {.greet = [](wire::GateWelcome& w) { w.magic = 0; }},
      {.bytes = 0},
      {.bytes = 4096},
      {.bytes = 2 * sizeof(wire::GateControl)},
      {.is_sealed = false},
      {.answers = false},
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string address = own_address();
    const FakeBroker broker(address, all[i]);
    const testing::Ended ended = run_command(with_agent(address, work));
    EXPECT_EQ(ended.code, 0) << i;
    EXPECT_EQ(ended.out, expected) << i;
    EXPECT_TRUE(wait_until([&] { return broker.joined() > 0; })) << i;
  }
}

/// TACTUS_FAULTS is how many are tried.
int fault_count() {
  const char* text = std::getenv("TACTUS_FAULTS");
  return text != nullptr ? std::atoi(text) : 100;
}

TEST(GateFaults, of_the_broker_lose_no_launch) {
  const TemporaryFolder folder;
  write_text(folder.file("hold.toml"), kHoldAll);
  const std::string work = program("server 30 4 eager proc 2");
  const std::string expected = run_command(work).out;
  std::mt19937 random(11);
  for (int i = 0; i < fault_count(); ++i) {
    const std::string address = own_address();
    const int broker =
        start_command({TACTUS_TOOL, "gate", "serve", "--policy", folder.file("hold.toml")},
                      {"TACTUS_GATE_SOCKET=" + address});
    const auto kind = static_cast<unsigned>(random() % 3);
    const auto wait_us = static_cast<unsigned>(random() % 60'000);
    std::thread fault([&] {
      usleep(wait_us);
      if (kind != 0) kill(broker, SIGSTOP);
      if (kind == 1) usleep(30'000);
      kill(broker, kind == 1 ? SIGCONT : SIGKILL);
    });
    const testing::Ended ended = run_command(with_agent(address, work));
    fault.join();
    kill(broker, SIGKILL);
    wait_for(broker);
    ASSERT_EQ(ended.code, 0) << "fault " << i << " of kind " << kind;
    ASSERT_EQ(ended.out, expected) << "fault " << i << " of kind " << kind;
  }
}

TEST(GateFaults, of_clients_leave_no_slot_behind) {
  const std::string address = own_address();
  const int broker = start_command({TACTUS_TOOL, "gate", "serve", "--policy", "priority"},
                                   {"TACTUS_GATE_SOCKET=" + address});
  ASSERT_TRUE(wait_until([&] { return run_command(gate_at(address, "status")).code == 0; }));
  std::mt19937 random(12);
  for (int i = 0; i < fault_count(); ++i) {
    run_command(with_agent(address, "timeout -s KILL 0.0" + std::to_string(random() % 10) + " " +
                                        program("server 2000 4 graph proc 2")));
  }
  EXPECT_TRUE(wait_until([&] {
    const Json status = document_of(run_command(gate_at(address, "status --json")).out);
    return status.is_object() && status.at("clients").empty();
  }));
  EXPECT_EQ(run_command(gate_at(address, "stop")).code, 0);
  EXPECT_EQ(wait_for(broker), 0);
}

}  // namespace
}  // namespace tactus

#include "record/beside/running_injections.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

namespace tactus::record {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kNow = 1'800'000'000 * kSecond;

wire::SocketAddress own_address() {
  static int number = 0;
  const std::string name =
      "@tactus-test-" + std::to_string(getpid()) + "-" + std::to_string(++number);
  wire::SocketAddress address;
  wire::fill_address(name.data(), name.size(), address);
  return address;
}

/// What an injector does, by hand.
class Injector {
 public:
  explicit Injector(const wire::SocketAddress& address)
      : door_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    EXPECT_EQ(::bind(door_.fd(), address.get(), address.size), 0);
    EXPECT_EQ(::listen(door_.fd(), 4), 0);
  }
  void let_in() { listener_ = File(::accept(door_.fd(), nullptr, nullptr)); }
  bool tell(std::int64_t begin_ns, std::int64_t end_ns) {
    wire::Injection now{.started_ns = kNow - 2 * kSecond,
                        .begin_ns = begin_ns,
                        .end_ns = end_ns,
                        .intensity = 0.5,
                        .scenario = "cpu",
                        .shape = "step"};
    return tell_bytes({reinterpret_cast<const char*>(&now), sizeof now});
  }
  bool tell_bytes(const std::string& bytes) {
    return ::send(listener_.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  }
  void hang_up() { listener_ = File(); }

 private:
  File door_;
  File listener_;
};

TEST(RunningInjections, are_known_when_they_have_ended) {
  const wire::SocketAddress address = own_address();
  RunningInjections running({address});
  EXPECT_TRUE(running.look(kNow).empty());  // nobody is there
  Injector injector(address);
  EXPECT_TRUE(running.look(kNow).empty());  // it has not answered
  injector.let_in();
  EXPECT_TRUE(injector.tell(0, 0));
  EXPECT_TRUE(running.look(kNow).empty());
  EXPECT_TRUE(injector.tell(kNow, 0));
  EXPECT_TRUE(running.look(kNow + kSecond).empty());
  EXPECT_TRUE(injector.tell(kNow, kNow + kSecond));
  injector.hang_up();
  const std::vector<InjectedTruth> ended = running.look(kNow + 2 * kSecond);
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0].scenario, "cpu");
  EXPECT_EQ(ended[0].shape, "step");
  EXPECT_DOUBLE_EQ(ended[0].intensity, 0.5);
  EXPECT_EQ(ended[0].begin_ns, kNow);
  EXPECT_EQ(ended[0].end_ns, kNow + kSecond);
  EXPECT_DOUBLE_EQ(ended[0].before, 2);
  EXPECT_TRUE(running.finish(kNow + 3 * kSecond).empty());
}

TEST(RunningInjections, of_an_injector_that_was_killed_end_when_that_is_noticed) {
  const wire::SocketAddress address = own_address();
  RunningInjections running({address});
  Injector injector(address);
  running.look(kNow);
  injector.let_in();
  EXPECT_TRUE(injector.tell(kNow, 0));
  running.look(kNow);
  injector.hang_up();
  const std::vector<InjectedTruth> ended = running.look(kNow + kSecond);
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0].end_ns, kNow + kSecond);
}

TEST(RunningInjections, that_go_on_end_with_the_recording) {
  const wire::SocketAddress address = own_address();
  RunningInjections running({address});
  Injector injector(address);
  running.look(kNow);
  injector.let_in();
  EXPECT_TRUE(injector.tell(kNow, 0));
  const std::vector<InjectedTruth> ended = running.finish(kNow + kSecond);
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0].end_ns, kNow + kSecond);
}

TEST(RunningInjections, nonsense_is_no_injection) {
  for (const std::string& bytes :
       {std::string("hello"), std::string(sizeof(wire::Injection), '\x7f')}) {
    const wire::SocketAddress address = own_address();
    RunningInjections running({address});
    Injector injector(address);
    running.look(kNow);
    injector.let_in();
    EXPECT_TRUE(injector.tell_bytes(bytes));
    EXPECT_TRUE(running.look(kNow).empty());
    EXPECT_TRUE(running.finish(kNow).empty());
  }
}

TEST(RunningInjections, of_another_user_are_not_believed) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to be another user";
  const wire::SocketAddress address = own_address();
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t other = fork();
  if (other == 0) {
    if (setuid(65534) != 0) _exit(1);
    Injector injector(address);
    if (write(ready[1], "x", 1) != 1) _exit(1);
    injector.let_in();
    injector.tell(kNow, kNow + kSecond);  // to a recorder that may have hung up
    pause();
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  RunningInjections running({address});
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(running.look(kNow).empty());
    usleep(1000);
  }
  const std::vector<std::string> warnings = running.take_warnings();
  ASSERT_EQ(warnings.size(), 1U);  // once
  EXPECT_NE(warnings[0].find("process " + std::to_string(other)), std::string::npos);
  kill(other, SIGKILL);
  waitpid(other, nullptr, 0);
  close(ready[0]);
  close(ready[1]);
}

TEST(RunningInjections, before_the_recording_are_cut_or_left_out) {
  const InjectedTruth truth{.scenario = "cpu", .begin_ns = 100, .end_ns = 200};
  EXPECT_FALSE(part_behind(truth, 200));
  EXPECT_EQ(part_behind(truth, 150)->begin_ns, 150);
  EXPECT_EQ(part_behind(truth, 50)->begin_ns, 100);
}

}  // namespace
}  // namespace tactus::record

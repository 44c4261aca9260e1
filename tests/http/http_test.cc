#include <gtest/gtest.h>

#include "http/client.h"
#include "http/page_server.h"
#include "http/request.h"
#include "http/sockets.h"
#include "watch/sinks/sinks.h"

namespace tactus::http {
namespace {

TEST(Url, has_host_port_and_path) {
  const Result<Url> url = parse_url("http://127.0.0.1:8000/metrics?x=1");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->host, "127.0.0.1");
  EXPECT_EQ(url->port, 8000);
  EXPECT_EQ(url->path, "/metrics?x=1");
  EXPECT_EQ(parse_url("http://host")->port, 80);
  EXPECT_EQ(parse_url("http://[::1]:9/x")->host, "::1");
  for (const char* bad : {"", "host:80", "https://host", "http://", "http://h:0", "http://h:99999",
                          "http://h:x", "http://a b/", "http://user:word@h/", "http://[::1"}) {
    EXPECT_FALSE(parse_url(bad)) << bad;
  }
}

TEST(Answer, is_read_whole_or_not_at_all) {
  const auto parse = [](std::string_view bytes) { return parse_answer(bytes, false); };
  EXPECT_EQ(parse("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab")->body, "ab");
  EXPECT_EQ(parse("HTTP/1.1 503 No\r\ncontent-length: 0\r\n\r\n")->status, 503);
  EXPECT_EQ(
      parse("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n")
          ->body,
      "abc");
  for (const char* cut :
       {"", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab", "SSH-2.0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nab"}) {
    EXPECT_FALSE(parse(cut)) << cut;
  }
  // Without a length, the end of the connection is the end of the answer.
  EXPECT_EQ(parse_answer("HTTP/1.0 200 OK\r\n\r\nall", true)->body, "all");
}

TEST(Server, answers_get_and_refuses_the_rest) {
  const auto server = PageServer::start("127.0.0.1:0", [](std::string_view path) {
    return PageServer::Page{.body = "you asked for " + std::string(path)};
  });
  ASSERT_TRUE(server);
  const Url url{"127.0.0.1", (*server)->port(), "/metrics?a=b"};
  const Result<Answer> answer = get(url, {});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, "you asked for /metrics");
  EXPECT_EQ(post(url, "text/plain", "x", {})->status, 405);
  EXPECT_FALSE(PageServer::start("127.0.0.1:99999", nullptr));
  EXPECT_FALSE(PageServer::start("x", nullptr));
}

TEST(Server, is_not_held_up_by_clients_that_say_nothing_or_nonsense) {
  const auto server =
      PageServer::start("127.0.0.1:0", [](std::string_view) { return PageServer::Page{}; });
  ASSERT_TRUE(server);
  const std::uint16_t port = (*server)->port();
  const Deadline deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  const Result<File> silent = connect_to("127.0.0.1", port, deadline);
  ASSERT_TRUE(silent);
  EXPECT_EQ(get({"127.0.0.1", port, "/"}, {})->status, 200);
  for (const std::string& nonsense :
       {std::string("SSH-2.0\r\n\r\n"), std::string("GET / HTTP/1.1\r\nno header\r\n\r\n"),
        "GET / HTTP/1.1\r\nx: " + std::string(Request::kLongestHead, 'a')}) {
    const Result<File> client = connect_to("127.0.0.1", port, deadline);
    ASSERT_TRUE(client);
    ASSERT_TRUE(send_all(client->fd(), nonsense, deadline));
    std::string answer;
    while (receive_some(client->fd(), answer, deadline) == Received::kSome) {
    }
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 400")) << answer;
  }
}

TEST(Client, gives_up_on_a_server_that_never_answers) {
  // Listens, and never accepts a request.
  const auto server = PageServer::start("127.0.0.1:0", [](std::string_view) {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    return PageServer::Page{};
  });
  ASSERT_TRUE(server);
  const Result<Answer> answer =
      get({"127.0.0.1", (*server)->port(), "/"}, {.deadline = std::chrono::milliseconds(50)});
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().message.find("no whole answer within 50 ms"), std::string::npos);
}

TEST(Worker, never_makes_the_watcher_wait_and_counts_what_it_drops) {
  std::mutex mutex;
  std::unique_lock held(mutex);
  std::size_t delivered = 0;
  watch::BoundedWorker worker("slow", 4, [&](const std::string&) {
    const std::lock_guard lock(mutex);
    ++delivered;
    return true;
  });
  for (int i = 0; i < 100; ++i) worker.offer("x");
  EXPECT_GE(worker.dropped(), 95U);
  held.unlock();
  worker.finish(std::chrono::seconds(10));
  EXPECT_EQ(worker.delivered(), delivered);
  EXPECT_EQ(worker.delivered() + worker.dropped(), 100U);
}

TEST(PostSink, delivers_to_a_server_and_counts_a_refusal) {
  // Our own server refuses POST.
  const auto server =
      PageServer::start("127.0.0.1:0", [](std::string_view) { return PageServer::Page{}; });
  ASSERT_TRUE(server);
  const auto sink = watch::post_sink("webhook", {"127.0.0.1", (*server)->port(), "/"});
  sink->offer("{}");
  sink->finish(std::chrono::seconds(10));
  EXPECT_EQ(sink->failed(), 1U);
}

}  // namespace
}  // namespace tactus::http

// A server and clients in one process, over sockets.
#include "serve/http/http_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "base/json.h"
#include "page/column_reader.h"
#include "run/tact/tact_file.h"
#include "support/files.h"
#include "support/hand_made_run.h"
#include "support/paths.h"
#include "views/common/json_fields.h"

namespace tactus::serve {
namespace {

namespace fs = std::filesystem;

struct Answer {
  int status = 0;
  std::string head;
  std::string body;
};

class Served : public ::testing::Test {
 protected:
  explicit Served(std::uint64_t most_upload = 1 << 20)
      : server_(page_, {.version = "1", .most_upload = most_upload}) {
    EXPECT_TRUE(page_.make_folder());
  }
  ~Served() override {
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }

  void start(const std::vector<std::string>& files) {
    for (const std::string& file : files) {
      const Status opened = page_.open(file, fs::path(file).filename().string());
      ASSERT_TRUE(opened) << opened.error().message;
    }
    ASSERT_TRUE(server_.bind());
    thread_ = std::thread([this] { server_.run(); });
  }
  void start_demo() { start({std::string(TACTUS_ROOT) + "/data/demo/h200-good.tact"}); }

  int connected() const {
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(server_.port()));
    ::inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    EXPECT_EQ(::connect(fd, reinterpret_cast<struct sockaddr*>(&address), sizeof address), 0);
    return fd;
  }
  /// Sends bytes as they are and reads until the server closes.
  Answer raw(const std::string& bytes) const {
    const int fd = connected();
    ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    std::string text;
    char buffer[65536];
    for (ssize_t got = 0; (got = ::recv(fd, buffer, sizeof buffer, 0)) > 0;) {
      text.append(buffer, static_cast<std::size_t>(got));
    }
    ::close(fd);
    Answer answer;
    const std::size_t end = text.find("\r\n\r\n");
    if (end == std::string::npos) return answer;
    answer.head = text.substr(0, end);
    answer.body = text.substr(end + 4);
    answer.status = std::stoi(answer.head.substr(9, 3));
    return answer;
  }
  std::string own_host() const { return "127.0.0.1:" + std::to_string(server_.port()); }
  Answer get(const std::string& target, const std::string& headers) const {
    return raw("GET " + target + " HTTP/1.1\r\nConnection: close\r\n" + headers + "\r\n");
  }
  std::string allowed() const {
    return "Host: " + own_host() + "\r\nX-Tactus-Token: " + server_.token() + "\r\n";
  }
  Answer get(const std::string& name) const { return get("/api/" + name, allowed()); }
  Answer post(const std::string& target, const std::string& body,
              const std::string& more = "") const {
    return raw("POST " + target + " HTTP/1.1\r\n" + allowed() + more +
               "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  }

  NoProgress progress_;
  ServedPage page_{2, progress_};
  HttpServer server_;
  std::thread thread_;
};

TEST_F(Served, page_needs_the_token) {
  start_demo();
  const std::string host = "Host: " + own_host() + "\r\n";
  EXPECT_EQ(get("/", host).status, 403);
  EXPECT_EQ(get("/?token=00000000000000000000000000000000", host).status, 403);
  const Answer page = get("/?token=" + server_.token(), host);
  EXPECT_EQ(page.status, 200);
  EXPECT_NE(page.body.find("\"mode\":\"serve\""), std::string::npos);
  EXPECT_EQ(page.body.find(server_.token()), std::string::npos);
}

TEST_F(Served, documents_need_the_token_in_a_header) {
  start_demo();
  const std::string host = "Host: " + own_host() + "\r\n";
  EXPECT_EQ(get("/api/runs", host).status, 403);
  EXPECT_EQ(get("/api/runs?token=" + server_.token(), host).status, 403);
  EXPECT_EQ(get("/api/runs", host + "X-Tactus-Token: x\r\n").status, 403);
  EXPECT_EQ(get("runs").status, 200);
}

TEST_F(Served, names_of_other_hosts_are_refused) {
  start_demo();
  const std::string token = "X-Tactus-Token: " + server_.token() + "\r\n";
  EXPECT_EQ(get("/api/runs", token + "Host: evil.example:80\r\n").status, 403);
  EXPECT_EQ(get("/api/runs", token).status, 403);
}

TEST_F(Served, pages_of_other_sites_are_refused) {
  start_demo();
  EXPECT_EQ(get("/api/runs", allowed() + "Origin: http://evil.example\r\n").status, 403);
  EXPECT_EQ(get("/api/runs", allowed() + "Sec-Fetch-Site: cross-site\r\n").status, 403);
  EXPECT_EQ(get("/api/runs", allowed() + "Origin: http://" + own_host() + "\r\n").status, 200);
}

TEST_F(Served, no_file_is_ever_answered) {
  start_demo();
  for (const char* target : {"/api/../../../etc/passwd", "/etc/passwd", "/api/%2e%2e/x",
                             "/api/run/0/../../x", "//etc/passwd", "/api/run/0/info/../x"}) {
    const Answer answer = get(target, allowed());
    EXPECT_TRUE(answer.status == 404 || answer.status == 403) << target << " " << answer.status;
    EXPECT_EQ(answer.body.find("root:"), std::string::npos);
  }
}

TEST_F(Served, answers_carry_the_policy_and_are_not_kept) {
  start_demo();
  const Answer answer = get("runs");
  EXPECT_NE(answer.head.find("Content-Security-Policy: default-src 'none'"), std::string::npos);
  EXPECT_EQ(answer.head.find("unsafe-inline"), std::string::npos);
  EXPECT_NE(answer.head.find("Cache-Control: no-store"), std::string::npos);
  EXPECT_NE(answer.head.find("nosniff"), std::string::npos);
}

TEST_F(Served, documents_have_the_fields_of_their_tables) {
  start_demo();
  struct Case {
    const char* name;
    std::span<const JsonField> fields;
  };
  for (const Case& c :
       {Case{"runs", page_runs_fields()}, Case{"run/0/info", info_fields()},
        Case{"run/0/overview", page_overview_fields()}, Case{"run/0/kernels", kernels_fields()},
        Case{"run/0/kernels?phase=decode", kernels_fields()}, Case{"run/0/cycles", cycles_fields()},
        Case{"run/0/timeline", page_timeline_fields()}, Case{"run/0/flame", page_flame_fields()},
        Case{"run/0/slice?row=77", page_slice_fields()},
        Case{"run/0/search?text=gemm", page_search_fields()}}) {
    const Answer answer = get(c.name);
    ASSERT_EQ(answer.status, 200) << c.name << answer.body;
    const Status fits = check_json(Json::parse(answer.body), c.fields);
    EXPECT_TRUE(fits) << c.name << ": " << fits.error().message;
  }
}

TEST_F(Served, tiles_hold_the_slices_of_their_time) {
  start_demo();
  const Answer answer = get("run/0/slices?tracks=0&from=0&to=50000000&columns=500");
  ASSERT_EQ(answer.status, 200);
  auto columns = testing::read_columns(answer.body);
  ASSERT_FALSE(columns["start"].empty());
  for (const std::int64_t start : columns["start"]) EXPECT_LT(start, 50'000'000);
  EXPECT_EQ(get("run/0/slices?from=5&to=1").status, 404);
  EXPECT_EQ(get("run/7/slices").status, 404);
}

TEST_F(Served, queries_read_and_never_write) {
  start_demo();
  const Answer rows = post("/api/sql?run=0", "SELECT count(*) FROM kernels");
  EXPECT_EQ(rows.status, 200);
  EXPECT_TRUE(check_json(Json::parse(rows.body), sql_fields()));
  EXPECT_EQ(post("/api/sql?run=0", "DELETE FROM kernels").status, 400);
  EXPECT_EQ(post("/api/sql?run=0", "ATTACH '/tmp/x' AS x").status, 400);
  EXPECT_EQ(post("/api/sql?run=9", "SELECT 1").status, 400);
  EXPECT_EQ(post("/api/sql?run=0", std::string(100'000, 'x')).status, 413);
  const Answer many = post("/api/sql?run=0", "SELECT name FROM slices");
  EXPECT_EQ(Json::parse(many.body)["rows"].size(), 10'000U);
  EXPECT_EQ(Json::parse(many.body)["warnings"].size(), 1U);
}

TEST_F(Served, uploads_become_runs_and_go_away_with_the_server) {
  start({});
  const std::string trace =
      testing::read_file(std::string(TACTUS_ROOT) + "/data/demo/h200-decode.json.gz");
  const Answer answer = post("/api/import", trace, "X-File-Name: ../../../evil/trace.json.gz\r\n");
  ASSERT_EQ(answer.status, 200) << answer.body;
  const Json runs = Json::parse(answer.body);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0]["name"].get<std::string>(), "trace.json.gz");
  EXPECT_EQ(get("run/0/kernels").status, 200);
  for (const auto& entry : fs::recursive_directory_iterator(page_.folder())) {
    EXPECT_TRUE(entry.path().string().starts_with(page_.folder()));
  }
}

TEST_F(Served, what_is_not_a_trace_is_refused_in_a_sentence) {
  start({});
  const Answer answer = post("/api/import", "hello", "X-File-Name: a.txt\r\n");
  EXPECT_EQ(answer.status, 400);
  const std::string sentence = Json::parse(answer.body)["error"].get<std::string>();
  EXPECT_TRUE(sentence.starts_with("a.txt: is not in a format")) << sentence;
  EXPECT_EQ(sentence.find(page_.folder()), std::string::npos);
}

TEST_F(Served, uploads_that_are_too_large_are_refused_before_they_come) {
  start({});
  const Answer answer = raw("POST /api/import HTTP/1.1\r\n" + allowed() +
                            "Content-Length: 99999999999\r\n\r\n" + std::string(1000, 'x'));
  EXPECT_EQ(answer.status, 413);
}

TEST_F(Served, a_connection_that_is_cut_harms_nobody) {
  start_demo();
  int fd = connected();
  ::send(fd, "GET /api/ru", 11, MSG_NOSIGNAL);
  ::close(fd);
  fd = connected();
  const std::string upload =
      "POST /api/import HTTP/1.1\r\n" + allowed() + "Content-Length: 1000\r\n\r\nabc";
  ::send(fd, upload.data(), upload.size(), MSG_NOSIGNAL);
  ::close(fd);
  fd = connected();
  const std::string large = "GET /api/run/0/perfetto HTTP/1.1\r\n" + allowed() + "\r\n";
  ::send(fd, large.data(), large.size(), MSG_NOSIGNAL);
  ::close(fd);
  EXPECT_EQ(get("runs").status, 200);
  EXPECT_EQ(Json::parse(get("runs").body).size(), 1U);
}

TEST_F(Served, requests_that_are_not_http_are_answered_and_ended) {
  start_demo();
  EXPECT_EQ(raw("hello\r\n\r\n").status, 400);
  EXPECT_EQ(raw("GET / HTTP/1.1\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n").status, 400);
  EXPECT_EQ(raw("PUT /api/runs HTTP/1.1\r\n" + allowed() + "Connection: close\r\n\r\n").status,
            405);
}

TEST_F(Served, a_file_that_is_deleted_stays_shown) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.file("run.tact");
  fs::copy_file(fs::path(TACTUS_ROOT) / "data/demo/h200-good.tact", path);
  start({path});
  EXPECT_EQ(get("run/0/info").status, 200);
  fs::remove(path);
  EXPECT_EQ(get("run/0/kernels").status, 200);
  EXPECT_EQ(get("run/0/flame").status, 200);
}

TEST_F(Served, two_browsers_at_once_get_the_same) {
  start_demo();
  std::vector<std::string> bodies(4);
  std::vector<std::thread> browsers;
  for (std::string& body : bodies) {
    browsers.emplace_back([&] { body = get("run/0/kernels?phase=decode").body; });
  }
  for (std::thread& browser : browsers) browser.join();
  for (const std::string& body : bodies) {
    EXPECT_FALSE(body.empty());
    EXPECT_EQ(body, bodies[0]);
  }
}

TEST_F(Served, two_runs_are_compared) {
  const std::string demo = std::string(TACTUS_ROOT) + "/data/demo/";
  start({demo + "h200-good.tact", demo + "h200-slow.tact"});
  const Answer answer = get("compare?normal=0&abnormal=1");
  ASSERT_EQ(answer.status, 200);
  EXPECT_TRUE(check_json(Json::parse(answer.body), comparison_fields()));
  EXPECT_EQ(get("compare?normal=0&abnormal=0").status, 404);
  EXPECT_EQ(get("compare?normal=0&abnormal=5").status, 404);
}

TEST_F(Served, a_recording_that_grows_is_followed) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.file("live.tact");
  testing::HandMadeRun made;
  Result<OutputFile> file = OutputFile::in_place(path, false);
  ASSERT_TRUE(file);
  RunWriter writer(std::move(*file), 1);
  made.kernel("first", 0, 10);
  ASSERT_TRUE(writer.append(made.run(), progress_));
  start({path});
  const Json before = Json::parse(get("runs").body);
  EXPECT_TRUE(before[0]["live"].get<bool>());
  EXPECT_EQ(before[0]["rows"].get<int>(), 1);
  made.kernel("second", 100, 10);
  ASSERT_TRUE(writer.append(made.run(), progress_));
  page_.poll();
  const Json grown = Json::parse(get("runs").body);
  EXPECT_EQ(grown[0]["rows"].get<int>(), 2);
  EXPECT_GT(grown[0]["generation"].get<int>(), before[0]["generation"].get<int>());
  EXPECT_EQ(Json::parse(get("run/0/kernels").body)["rows"].size(), 2U);
  ASSERT_TRUE(writer.finish());
  page_.poll();
  const Json ended = Json::parse(get("runs").body);
  EXPECT_FALSE(ended[0]["live"].get<bool>());
}

}  // namespace
}  // namespace tactus::serve

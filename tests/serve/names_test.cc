// What comes from outside: names of documents, queries, requests, names of files.
#include <gtest/gtest.h>

#include "http/request.h"
#include "serve/documents/private_text.h"
#include "serve/documents/query.h"
#include "serve/http/access.h"

namespace tactus::serve {
namespace {

TEST(DocumentName, has_a_run_a_part_and_a_query) {
  const Result<DocumentName> name = read_document_name("run/12/kernels?phase=decode&from=%2D5");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->run, 12U);
  EXPECT_EQ(name->part, "kernels");
  EXPECT_EQ(name->query.at("phase"), "decode");
  EXPECT_EQ(name->query.at("from"), "-5");
}

TEST(DocumentName, is_never_a_path_of_a_file) {
  for (const char* text : {"../etc/passwd", "run/0/../../x", "%2e%2e/x", "run/0/a.b", "/etc/passwd",
                           "", "run/x/info", "run/-1/info", "run/0", "a\\b", "run/0/%00"}) {
    EXPECT_FALSE(read_document_name(text)) << text;
  }
  EXPECT_FALSE(read_document_name(std::string(5000, 'a')));
  EXPECT_FALSE(read_document_name("runs?a=%zz"));
}

TEST(TileRequest, takes_only_stretches_of_time_and_sensible_widths) {
  const TimeSpan span{0, 1000};
  const auto tile = [&](std::string_view query) {
    return read_tile(read_document_name("slices?" + std::string(query))->query, span);
  };
  ASSERT_TRUE(tile("tracks=1,2&from=10&to=20&columns=100"));
  EXPECT_EQ(tile("tracks=1,2")->tracks, (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(tile("")->to_ns, 1000);
  for (const char* query : {"from=20&to=10", "columns=0", "columns=-1", "columns=1000000", "from=x",
                            "tracks=a", "tracks=-1", "from=-9223372036854775807",
                            "to=9223372036854775807", "from=99999999999999999999"}) {
    EXPECT_FALSE(tile(query)) << query;
  }
}

TEST(Access, compares_tokens_and_makes_them_long) {
  const Result<std::string> token = make_token();
  ASSERT_TRUE(token);
  EXPECT_EQ(token->size(), 32U);
  EXPECT_NE(*token, *make_token());
  EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
  EXPECT_FALSE(equal_in_constant_time("abd", "abc"));
  EXPECT_FALSE(equal_in_constant_time("", "abc"));
  EXPECT_FALSE(equal_in_constant_time("abcd", "abc"));
}

TEST(Access, answers_only_requests_to_its_own_names) {
  const Access access("t", "127.0.0.1", 8080);
  for (const char* host : {"127.0.0.1:8080", "localhost:8080", "[::1]:8080"}) {
    EXPECT_EQ(access.refusal({.host = host}), "") << host;
  }
  for (const char* host : {"", "evil.com", "evil.com:8080", "127.0.0.1", "127.0.0.1:80",
                           "127.0.0.1:8080.evil.com", "127.0.0.1.evil.com:8080"}) {
    EXPECT_NE(access.refusal({.host = host}), "") << host;
  }
}

TEST(Access, answers_no_page_of_another_site) {
  const Access access("t", "127.0.0.1", 8080);
  EXPECT_EQ(access.refusal({.host = "localhost:8080", .origin = "http://localhost:8080"}), "");
  for (const char* origin : {"http://evil.com", "https://127.0.0.1:8080", "null",
                             "http://localhost", "http://localhost:8080.evil.com"}) {
    EXPECT_NE(access.refusal({.host = "localhost:8080", .origin = origin}), "") << origin;
  }
  EXPECT_NE(access.refusal({.host = "localhost:8080", .site = "cross-site"}), "");
}

TEST(UploadedFile, gets_a_harmless_name) {
  EXPECT_EQ(safe_file_name("trace.json.gz"), "trace.json.gz");
  EXPECT_EQ(safe_file_name("../../etc/passwd"), "passwd");
  EXPECT_EQ(safe_file_name("C:\\temp\\a b.json"), "a_b.json");
  EXPECT_EQ(safe_file_name(".bashrc"), "bashrc");
  EXPECT_EQ(safe_file_name(".."), "upload");
  EXPECT_EQ(safe_file_name(""), "upload");
  EXPECT_LE(safe_file_name(std::string(1000, 'x') + ".json").size(), 100U);
}

TEST(Request, is_read_with_its_headers) {
  const Result<http::Request> request = http::read_request(
      "POST /api/sql?run=0 HTTP/1.1\r\nHost: localhost:1\r\nContent-Length: 12\r\n\r\n");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->method, "POST");
  EXPECT_EQ(request->path(), "/api/sql");
  EXPECT_EQ(request->header("host"), "localhost:1");
  EXPECT_EQ(request->body_bytes, 12U);
  EXPECT_TRUE(request->keep_alive);
}

TEST(Request, that_is_not_plain_http_is_refused) {
  for (const char* head :
       {"", "\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/2\r\n\r\n", "GET http://x/ HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nno colon\r\n\r\n", "GET / HTTP/1.1\r\nA b: c\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "GET / HTTP/1.1\r\nX: a\001b\r\n\r\n", "GET /a b HTTP/1.1\r\n\r\n"}) {
    EXPECT_FALSE(http::read_request(head)) << head;
  }
}

TEST(Paths, of_the_machine_are_cut_to_their_last_parts) {
  EXPECT_EQ(without_paths("/home/me/work/sglang/srt/model.py(12): forward"),
            "sglang/srt/model.py(12): forward");
  EXPECT_EQ(without_paths("{\"file\":\"/usr/lib/python3/site-packages/torch/nn/a.py\"}"),
            "{\"file\":\"torch/nn/a.py\"}");
  EXPECT_EQ(without_paths("/home/me/run.tact: is damaged"), "run.tact: is damaged");
  EXPECT_EQ(without_paths("12 bytes/s, https://example.org/a/b/c/d, 1/2"),
            "12 bytes/s, https://example.org/a/b/c/d, 1/2");
  EXPECT_EQ(without_paths("void f<a>(int, /*x*/ int)"), "void f<a>(int, /*x*/ int)");
}

}  // namespace
}  // namespace tactus::serve

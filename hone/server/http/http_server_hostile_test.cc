// SPDX-License-Identifier: Apache-2.0
// What clients should not send. Each is answered with a clear 4xx or a closed connection, nothing
// is lost, and the server still answers afterwards.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <vector>

#include "hone/server/server_for_test.h"
#include "hone/server/service/machine_use.h"
#include "hone/testing/wait_until.h"

namespace hone::server {
namespace {

using std::chrono::milliseconds;
using testing::AnyOf;
using testing::Eq;

RunningApi::Choice Impatient() {
  RunningApi::Choice choice;
  HttpLimits& limits = choice.api.http.limits;
  limits.header_time = milliseconds{300};
  limits.body_time = milliseconds{300};
  limits.write_time = milliseconds{500};
  limits.body_bytes = 1 << 20;
  limits.body_bytes_in_all = 4 << 20;
  return choice;
}

class HostileTest : public testing::Test {
 protected:
  HostileTest() : api_(Impatient()) {}

  // Nothing was lost and the server is well.
  void TearDown() override {
    EXPECT_EQ(api_.Ask("GET", "/health").AsJson()["status"], "healthy");
    const Reply reply = api_.Ask("POST", "/evaluate", Dump(EvaluationBody("afterwards")));
    EXPECT_EQ(reply.AsJson()["status"], "completed") << reply.body;
  }

  Reply Exchange(const std::string& bytes) const {
    TestClient client(api_.port());
    client.Send(bytes);
    return client.Receive(milliseconds{10'000});
  }

  // The status of the answer, 0 if the connection was closed instead.
  int StatusFor(const std::string& bytes) const { return Exchange(bytes).status; }

  RunningApi api_;
};

TEST_F(HostileTest, BodiesThatAreNoRequestAreRefused) {
  std::string deep(100'000, '[');
  const std::vector<std::string> bodies{
      "{",
      "nonsense",
      "[]",
      "null",
      "7",
      "\"text\"",
      "{}",
      R"({"task_id": "a", "task_id": "b"})",
      deep,
      R"({"task_id": "\ud800"})",
      "{\"task_id\": \"\xff\xfe\"}",
      std::string("{\"a\": \0}", 8),
      R"({"task_id": 1e999})",
      "{} {}",
      R"({"task_id": {"a": [1, 2]}, "kernel_code": [], "timeout": {}})"};
  for (const std::string& body : bodies) {
    for (const char* target : {"/evaluate", "/evaluate/batch", "/workflow/submit",
                               "/debug/validate", "/v1/tasks", "/v1/tasks/batch"}) {
      const Reply reply = Exchange(RequestText("POST", target, body));
      EXPECT_EQ(reply.status, 400) << target << " " << body.substr(0, 60) << " " << reply.body;
      EXPECT_FALSE(reply.AsJson().is_null()) << target;
    }
  }
  EXPECT_EQ(api_.queue().Count()->settled, 0);
}

TEST_F(HostileTest, WrongTypesInEveryFieldAreRefusedOrTaken) {
  const std::vector<Json> values{nullptr, true, -1, 1e300, "x", Json::array({1}), Json::object()};
  const Json right = EvaluationBody("a");
  for (const auto& [name, ignored] : right.items()) {
    for (const Json& value : values) {
      Json body = EvaluationBody("wrong type");
      body[name] = value;
      EXPECT_THAT(StatusFor(RequestText("POST", "/debug/validate", Dump(body))),
                  AnyOf(Eq(200), Eq(400)))
          << name << value;
    }
  }
}

TEST_F(HostileTest, IdsMayNotBePaths) {
  for (const std::string id :
       {"../../etc/passwd", "%2e%2e%2f", "a%2fb", "..%5c..", "%00", "a%00b", "%ff", "%", "%2",
        "$(id)", "'; DROP TABLE tasks; --", "\xe2\x82\xac"}) {
    for (const char* target : {"/status/", "/results/", "/v1/tasks/", "/workflow/results/"}) {
      std::string line = target + id;
      std::replace(line.begin(), line.end(), ' ', '+');
      const int status = StatusFor(RequestText("GET", line));
      EXPECT_THAT(status, AnyOf(Eq(400), Eq(404))) << line;
    }
  }
  EXPECT_THAT(StatusFor(RequestText("GET", "/status/" + std::string(8000, 'a'))), Eq(404));
  EXPECT_THAT(StatusFor(RequestText("GET", "/status/" + std::string(50'000, 'a'))),
              AnyOf(Eq(414), Eq(431), Eq(400)));
  Json body = EvaluationBody("../../x/../y");  // Strange but harmless: it names no file.
  EXPECT_EQ(api_.Ask("POST", "/evaluate", Dump(body)).status, 200);
  EXPECT_EQ(api_.Ask("GET", "/results/..%2f..%2fx%2f..%2fy").status, 200);
}

TEST_F(HostileTest, TwoWaysToTellTheEndOfABodyAreRefused) {
  const std::string start = "POST /evaluate HTTP/1.1\r\nHost: localhost\r\n";
  for (const std::string headers :
       {"Content-Length: 2\r\nContent-Length: 3\r\n", "Content-Length: 2\r\nContent-Length: 2\r\n",
        "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n", "Content-Length: -1\r\n",
        "Content-Length: 2, 3\r\n", "Content-Length: 0x2\r\n",
        "Content-Length: 99999999999999999999\r\n", "Transfer-Encoding: gzip, chunked\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: xchunked\r\n", "Content-Length : 2\r\n", " Content-Length: 2\r\n"}) {
    TestClient client(api_.port());
    client.Send(start + headers + "\r\n{}GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_THAT(client.Receive().status, AnyOf(Eq(400), Eq(403), Eq(413), Eq(501), Eq(0)))
        << headers;
    EXPECT_TRUE(client.IsClosed()) << headers;  // The smuggled request was not served.
  }
}

TEST_F(HostileTest, ChunkedBodiesAreReadAndBrokenOnesRefused) {
  const std::string body = Dump(EvaluationBody("chunked"));
  const std::string start =
      "POST /evaluate HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(StatusFor(start + fmt::format("{:x}\r\n{}\r\n0\r\n\r\n", body.size(), body)), 200);
  for (const std::string chunk :
       {"zz\r\n{}\r\n", "-1\r\n{}\r\n", "ffffffffffffffffff\r\n", "\r\n\r\n"}) {
    EXPECT_THAT(StatusFor(start + chunk), AnyOf(Eq(400), Eq(413), Eq(0))) << chunk;
  }
}

TEST_F(HostileTest, WhatIsNotHttpIsTurnedAway) {
  const std::string hello("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11);
  for (const std::string& bytes :
       {std::string("GET /\r\n\r\n"), std::string("GET / HTTP/0.9\r\n\r\n"),
        std::string("GET / HTTP/2.0\r\n\r\n"), hello + std::string(200, '\x5a') + "\r\n\r\n",
        std::string("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), std::string(3000, '\0'),
        std::string("\r\n\r\n\r\n\r\nxx\r\n\r\n"), std::string("GET\r\n\r\n"),
        std::string("GE\x01T / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        std::string("GET / HTTP/1.1\r\n\r\n"),  // No host.
        std::string("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
        std::string("GET / HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\0c\r\n\r\n", 47)}) {
    EXPECT_THAT(StatusFor(bytes), AnyOf(Eq(400), Eq(403), Eq(431), Eq(505), Eq(0)))
        << bytes.substr(0, 40);
  }
}

TEST_F(HostileTest, HeaderBombsAreRefused) {
  std::string many = "GET /health HTTP/1.1\r\nHost: localhost\r\n";
  for (int k = 0; k < 10'000; ++k) many += fmt::format("X-{}: y\r\n", k);
  EXPECT_THAT(StatusFor(many + "\r\n"), AnyOf(Eq(431), Eq(400), Eq(0)));
  EXPECT_THAT(StatusFor("GET /health HTTP/1.1\r\nHost: localhost\r\nX: " +
                        std::string(1 << 20, 'x') + "\r\n\r\n"),
              AnyOf(Eq(431), Eq(400), Eq(0)));
}

TEST_F(HostileTest, HugeBodiesAreRefusedBeforeTheyAreRead) {
  TestClient client(api_.port());
  client.Send("POST /evaluate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000000000\r\n\r\n");
  EXPECT_EQ(client.Receive().status, 413);
  TestClient patient(api_.port());
  patient.Send(
      "POST /evaluate HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
      "Content-Length: 2000000000\r\n\r\n");
  EXPECT_EQ(patient.Receive().status, 413);
}

TEST_F(HostileTest, EndlessBodiesEndAtTheLimit) {
  TestClient client(api_.port());
  client.Send("POST /evaluate HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
  const std::string chunk = "10000\r\n" + std::string(0x10000, ' ') + "\r\n";
  int sent = 0;
  while (sent < 1000 && client.Send(chunk)) ++sent;
  EXPECT_LT(sent, 1000);
}

TEST_F(HostileTest, ManyLargeBodiesAtOnceDoNotFillTheMemory) {
  std::vector<std::unique_ptr<TestClient>> clients;
  for (int k = 0; k < 64; ++k) {
    clients.push_back(std::make_unique<TestClient>(api_.port()));
    clients.back()->Send(
        "POST /evaluate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n");
  }
  int refused = 0;
  for (auto& client : clients)
    refused += client->Receive(milliseconds{5'000}).status == 503 ? 1 : 0;
  EXPECT_GE(refused, 50);  // All but those four that fit.
}

TEST_F(HostileTest, SlowClientsAreCutOff) {
  TestClient silent(api_.port());
  TestClient slow_head(api_.port());
  slow_head.Send("GET /hea");
  TestClient slow_body(api_.port());
  slow_body.Send("POST /evaluate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{");
  EXPECT_TRUE(silent.IsClosed());
  EXPECT_TRUE(slow_head.IsClosed());
  EXPECT_TRUE(slow_body.IsClosed());
}

TEST_F(HostileTest, ConnectionThatRestsBetweenTwoRequestsStaysOpen) {
  TestClient client(api_.port());
  const std::string request = RequestText("GET", "/health", "");
  client.Send(request);
  EXPECT_EQ(client.Receive(milliseconds{10'000}).status, 200);
  TestClient witness(api_.port());
  witness.Send("GET /hea");
  EXPECT_TRUE(witness.IsClosed());  // The time for a head is over for one that came later.
  client.Send(request);
  EXPECT_EQ(client.Receive(milliseconds{10'000}).status, 200);
}

TEST_F(HostileTest, EarlyCloseAtEveryByteCostsNothing) {
  const std::string request = RequestText("POST", "/debug/validate", Dump(EvaluationBody("early")));
  for (std::size_t length = 0; length <= request.size(); ++length) {
    TestClient client(api_.port());
    client.Send(request.substr(0, length));
    client.Close();
  }
  WaitUntil([&] { return api_.server().Count().connections == 0; }, "all connections are closed");
}

TEST_F(HostileTest, AClientThatLeavesDoesNotHoldAPlace) {
  TestClient client(api_.port());
  const auto is_slow = std::make_shared<std::atomic<bool>>(true);
  api_.script().run = [is_slow](const RunOrder& order) -> Result<RunResult> {
    if (!*is_slow) return FakeScript::ScoreOf(1);
    return Endless(order);
  };
  client.Send(RequestText("POST", "/evaluate", Dump(EvaluationBody("left"))));
  WaitUntil([&] { return api_.server().Count().busy > 0; }, "the request is served");
  client.Close();
  WaitUntil([&] { return api_.server().Count().busy == 0; }, "the request is given up");
  EXPECT_EQ(api_.Ask("DELETE", "/tasks/left").status, 200);  // The task itself went on.
  *is_slow = false;
}

TEST_F(HostileTest, PipelinedRequestsAreAnsweredInOrder) {
  TestClient client(api_.port());
  std::string requests;
  for (int k = 0; k < 50; ++k) requests += RequestText("GET", fmt::format("/status/p{}", k));
  client.Send(requests);
  for (int k = 0; k < 50; ++k) {
    EXPECT_THAT(client.Receive().body, testing::HasSubstr(fmt::format("p{}", k)));
  }
}

TEST_F(HostileTest, HeadHasNoBodyAndHttp10IsClosed) {
  TestClient head(api_.port());
  head.Send(RequestText("HEAD", "/health"));
  const std::string text = head.ReceiveSome();
  EXPECT_THAT(text, testing::StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(text, testing::EndsWith("\r\n\r\n"));
  TestClient old(api_.port());
  old.Send("GET /health HTTP/1.0\r\n\r\n");
  EXPECT_EQ(old.Receive().status, 200);
  EXPECT_TRUE(old.IsClosed());
}

TEST_F(HostileTest, ExpectationsAreMetOrRefused) {
  const std::string body = Dump(EvaluationBody("expected"));
  TestClient client(api_.port());
  client.Send(
      fmt::format("POST /evaluate HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
                  "Content-Length: {}\r\n\r\n",
                  body.size()));
  EXPECT_THAT(client.ReceiveSome(), testing::StartsWith("HTTP/1.1 100"));
  client.Send(body);
  EXPECT_EQ(client.Receive().status, 200);
  EXPECT_EQ(StatusFor("GET /health HTTP/1.1\r\nHost: localhost\r\nExpect: a-pony\r\n\r\n"), 417);
}

TEST(HostileLimitsTest, RateAndConnectionsOfOneClientAreLimited) {
  RunningApi::Choice choice;
  choice.api.http.limits.connections_per_client = 5;
  choice.api.http.limits.requests_per_second = 1;
  choice.api.http.limits.burst = 3;
  RunningApi api(std::move(choice));
  std::vector<std::unique_ptr<TestClient>> clients;
  for (int k = 0; k < 6; ++k) clients.push_back(std::make_unique<TestClient>(api.port()));
  EXPECT_EQ(clients.back()->Receive().status, 503);
  int refused = 0;
  for (int k = 0; k < 10; ++k) {
    clients[0]->Send(RequestText("GET", "/health"));
    refused += clients[0]->Receive().status == 429 ? 1 : 0;
  }
  EXPECT_GE(refused, 5);
}

TEST(HostileLimitsTest, TenThousandConnectionsAreHeldOrTurnedAway) {
  RunningApi::Choice choice;
  choice.api.http.limits.connections = 4000;
  RunningApi api(std::move(choice));
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  // Both ends of every connection are descriptors of this process.
  const std::size_t room = static_cast<std::size_t>(limit.rlim_cur) / 2;
  const std::size_t count = std::min<std::size_t>(10'000, room > 500 ? room - 500 : room / 2);
  if (count < 1000) GTEST_SKIP() << "only " << limit.rlim_cur << " descriptors here";
  MachineMeter meter;
  const auto before = meter.Read().resident;
  std::vector<std::unique_ptr<TestClient>> clients;
  for (std::size_t k = 0; k < count; ++k) {
    clients.push_back(std::make_unique<TestClient>(api.port()));
  }
  WaitUntil([&] { return api.server().Count().accepted + api.server().Count().refused >= count; },
            "every client was accepted or refused");
  EXPECT_LE(api.server().Count().connections, 4000);
  EXPECT_LT(meter.Read().resident - before, 400LL << 20);
  clients.clear();
  WaitUntil([&] { return api.server().Count().connections == 0; }, "all connections are closed");
  EXPECT_EQ(api.Ask("GET", "/health").AsJson()["status"], "healthy");
}

}  // namespace
}  // namespace hone::server

// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/chat/openai_endpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/agent/chat/scripted_endpoint_for_test.h"
#include "hone/base/net/tls_relay_for_test.h"
#include "hone/base/temp_dir.h"

namespace hone::agent {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using Fault = ChatAttempt::Fault;
using Cost = ChatAttempt::Cost;

ChatRequest Question() { return {.messages = {{.text = "what is it?"}}, .max_tokens = 100}; }

ChatAttempt AskAt(OpenAiEndpoint& endpoint) {
  return endpoint.Ask(Question(), "m", {.total = 20s, .idle = 20s}, {}, nullptr);
}

ChatAttempt AskOf(const HttpScript& script) {
  const ScriptedServer server(script);
  OpenAiEndpoint endpoint({.url = *ParseEndpointUrl(server.url())}, {});
  return AskAt(endpoint);
}

// Sends these pieces as a stream, and ends it.
HttpScript Streams(std::vector<std::string> pieces) {
  return [pieces = std::move(pieces)](const ScriptedRequest&, ScriptedReply& reply) {
    reply.SendChunkedHead("text/event-stream");
    for (const std::string& piece : pieces) reply.SendChunk(piece);
    reply.SendChunk("");
  };
}

std::string Said(const std::string& text) {
  return R"(data: {"choices":[{"delta":{"content":")" + text + "\"}}]}\n\n";
}

TEST(OpenAiEndpointTest, UrlsMayNameTheServerTheApiOrTheCall) {
  for (const char* text : {"http://h:8000", "http://h:8000/", "http://h:8000/v1/",
                           "http://h:8000/v1/chat/completions"}) {
    EXPECT_EQ(ToText(*ParseEndpointUrl(text)), "http://h:8000/v1") << text;
  }
  EXPECT_EQ(ParseEndpointUrl("https://h/openai/v3")->path, "/openai/v3");
  EXPECT_FALSE(ParseEndpointUrl("https://user:geheim@h"));
  EXPECT_FALSE(ParseEndpointUrl("https://h/v1?key=geheim"));
  EXPECT_FALSE(ParseEndpointUrl("h:8000"));
}

TEST(OpenAiEndpointTest, KeepAlivesAndMissingUsageAreTolerated) {
  const ChatAttempt attempt = AskOf(
      Streams({": OPENROUTER PROCESSING\n\n", Said("4"), ":\n\n", Said("2"), "data: [DONE]\n\n"}));
  ASSERT_TRUE(attempt.answer) << attempt.answer.error().message;
  EXPECT_EQ(attempt.answer->message.text, "42");
  EXPECT_EQ(attempt.answer->model, "m");
  EXPECT_FALSE(attempt.is_usage_told);
  EXPECT_EQ(attempt.cost, Cost::kAsUsed);
}

TEST(OpenAiEndpointTest, TheEndOfTheStreamNeedNotBeTheEndOfTheConnection) {
  const ChatAttempt attempt = AskOf([](const ScriptedRequest&, ScriptedReply& reply) {
    reply.SendChunkedHead("text/event-stream");
    reply.SendChunk(Said("yes") + "data: [DONE]\n\n");
    reply.Hold();
  });
  ASSERT_TRUE(attempt.answer) << attempt.answer.error().message;
}

TEST(OpenAiEndpointTest, AStreamUnderTheWrongTypeIsStillRead) {
  const ChatAttempt attempt = AskOf([](const ScriptedRequest&, ScriptedReply& reply) {
    reply.SendWhole(200, "text/plain", Said("yes") + "data: [DONE]\n\n");
  });
  ASSERT_TRUE(attempt.answer) << attempt.answer.error().message;
  EXPECT_EQ(attempt.answer->message.text, "yes");
}

TEST(OpenAiEndpointTest, WhatBreaksInTheMiddlePassesAndMayHaveCostAnything) {
  const std::vector<HttpScript> scripts{
      Streams({Said("half")}),
      Streams({Said("half"), "data: {\"error\":{\"message\":\"CUDA out of memory\"}}\n\n"}),
      Streams({"data: {\"choices\":[{\n\n"}),
      [](const ScriptedRequest&, ScriptedReply& reply) {
        reply.SendChunkedHead("text/event-stream");
        reply.SendChunk(Said("half"));
        reply.Drop();
      },
      [](const ScriptedRequest&, ScriptedReply& reply) { reply.Drop(); },
      [](const ScriptedRequest&, ScriptedReply& reply) {
        reply.SendWhole(200, "application/json", "{\"choices\": [");
      },
      [](const ScriptedRequest&, ScriptedReply& reply) {
        reply.SendWhole(200, "text/html", "<html>Log in to the network</html>");
      },
      [](const ScriptedRequest&, ScriptedReply& reply) {
        reply.SendWhole(200, "application/json", "{}");
      },
  };
  for (const HttpScript& script : scripts) {
    const ChatAttempt attempt = AskOf(script);
    ASSERT_FALSE(attempt.answer);
    EXPECT_EQ(attempt.answer.error().code, Errc::kUnavailable) << attempt.answer.error().message;
    EXPECT_EQ(attempt.fault, Fault::kPassing);
    EXPECT_EQ(attempt.cost, Cost::kUnknown);
    EXPECT_THAT(attempt.answer.error().message, HasSubstr("http://127.0.0.1:"));
  }
}

TEST(OpenAiEndpointTest, EndlessAnswersAreEndedAndNotAskedForAgain) {
  const std::vector<HttpScript> scripts{
      [](const ScriptedRequest&, ScriptedReply& reply) {
        reply.SendChunkedHead("text/event-stream");
        while (reply.SendChunk(Said(std::string(5000, 'x')))) {
        }
      },
      [](const ScriptedRequest&, ScriptedReply& reply) {
        reply.SendChunkedHead("text/event-stream");
        while (reply.SendChunk(": still here\n\n")) {
        }
      },
      [](const ScriptedRequest&, ScriptedReply& reply) {
        reply.SendChunkedHead("application/json");
        while (reply.SendChunk(std::string(5000, ' '))) {
        }
      },
  };
  for (const HttpScript& script : scripts) {
    const ChatAttempt attempt = AskOf(script);
    ASSERT_FALSE(attempt.answer);
    EXPECT_EQ(attempt.fault, Fault::kOfRequest) << attempt.answer.error().message;
    EXPECT_EQ(attempt.cost, Cost::kUnknown);
  }
}

TEST(OpenAiEndpointTest, RefusalsAreTold) {
  struct Row {
    int status;
    Errc code;
    Fault fault;
  };
  for (const Row& row : {Row{400, Errc::kInvalidArgument, Fault::kOfRequest},
                         Row{422, Errc::kInvalidArgument, Fault::kOfRequest},
                         Row{401, Errc::kInvalidArgument, Fault::kOfEndpoint},
                         Row{403, Errc::kInvalidArgument, Fault::kOfEndpoint},
                         Row{404, Errc::kInvalidArgument, Fault::kOfEndpoint},
                         Row{302, Errc::kInvalidArgument, Fault::kOfEndpoint},
                         Row{408, Errc::kUnavailable, Fault::kPassing},
                         Row{409, Errc::kUnavailable, Fault::kPassing},
                         Row{429, Errc::kUnavailable, Fault::kPassing},
                         Row{500, Errc::kUnavailable, Fault::kPassing},
                         Row{503, Errc::kUnavailable, Fault::kPassing}}) {
    const ChatAttempt attempt = AskOf([&](const ScriptedRequest&, ScriptedReply& reply) {
      RefuseAsked(reply, row.status, "because", "Retry-After: 2.5\r\nLocation: http://evil/\r\n");
    });
    ASSERT_FALSE(attempt.answer);
    EXPECT_EQ(attempt.answer.error().code, row.code) << row.status;
    EXPECT_EQ(attempt.fault, row.fault) << row.status;
    EXPECT_EQ(attempt.cost, Cost::kNothing);
    EXPECT_THAT(attempt.answer.error().message, HasSubstr(std::to_string(row.status)));
    EXPECT_EQ(attempt.retry_after == 2500ms, row.fault == Fault::kPassing);
  }
  const ChatAttempt spent = AskOf([](const ScriptedRequest&, ScriptedReply& reply) {
    reply.SendWhole(429, "application/json", R"({"error":{"code":"insufficient_quota"}})");
  });
  EXPECT_EQ(spent.fault, Fault::kOfEndpoint);
}

TEST(OpenAiEndpointTest, AnUnreadableRetryAfterIsNone) {
  for (const char* value : {"soon", "-5", "1e999", "Wed, 21 Oct 2026 07:28:00 GMT", ""}) {
    const ChatAttempt attempt = AskOf([&](const ScriptedRequest&, ScriptedReply& reply) {
      RefuseAsked(reply, 429, "slow down", std::string("Retry-After: ") + value + "\r\n");
    });
    EXPECT_EQ(attempt.retry_after, std::nullopt) << value;
  }
}

TEST(OpenAiEndpointTest, NobodyThereCostsNothing) {
  OpenAiEndpoint endpoint(
      {.url = *ParseEndpointUrl("http://127.0.0.1:" + std::to_string(ClosedPort()))}, {});
  const ChatAttempt attempt = AskAt(endpoint);
  EXPECT_EQ(attempt.fault, Fault::kPassing);
  EXPECT_EQ(attempt.cost, Cost::kNothing);
}

TEST(OpenAiEndpointTest, AServerWithOtherWordsIsAskedInItsOwn) {
  const ScriptedServer server([](const ScriptedRequest& request, ScriptedReply& reply) {
    const Json json = ParseJson(request.body, "request").value();
    if (json.contains("stream_options")) {
      return RefuseAsked(reply, 400, "Unrecognized request argument: stream_options");
    }
    if (json.contains("max_tokens")) {
      return RefuseAsked(
          reply, 400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.");
    }
    StreamAnswer(reply, TextAnswer("understood"));
  });
  OpenAiEndpoint endpoint({.url = *ParseEndpointUrl(server.url())}, {});
  EXPECT_EQ(AskAt(endpoint).answer->message.text, "understood");
  EXPECT_EQ(server.requests().size(), 3U);
  EXPECT_EQ(AskAt(endpoint).answer->message.text, "understood");
  EXPECT_EQ(server.requests().size(), 4U);  // It has learnt.
}

TEST(OpenAiEndpointTest, AServerWithoutSchemasIsToldTheFormInWords) {
  const ScriptedServer server([](const ScriptedRequest& request, ScriptedReply& reply) {
    const Json json = ParseJson(request.body, "request").value();
    if (json.contains("response_format")) {
      return RefuseAsked(reply, 400, "response_format: this server does not do that");
    }
    StreamAnswer(reply, TextAnswer(json["messages"][0]["content"].get<std::string>()));
  });
  OpenAiEndpoint endpoint({.url = *ParseEndpointUrl(server.url())}, {});
  ChatRequest request{.messages = {{.role = ChatRole::kUser, .text = "A number?"}}};
  request.answer_schema = {{"type", "object"}, {"required", {"number"}}};
  const ChatAttempt attempt = endpoint.Ask(request, "m", {.total = 20s, .idle = 20s}, {}, {});
  ASSERT_TRUE(attempt.answer) << attempt.answer.error().message;
  EXPECT_THAT(attempt.answer->message.text, HasSubstr(R"("required":["number"])"));
  EXPECT_EQ(server.requests().size(), 2U);
}

TEST(OpenAiEndpointTest, ModelsAreListed) {
  const ScriptedServer server([](const ScriptedRequest& request, ScriptedReply& reply) {
    EXPECT_EQ(request.target, "/v1/models");
    reply.SendWhole(200, "application/json", R"({"data":[{"id":"a"},{"id":7},5,null,{"id":"b"}]})");
  });
  OpenAiEndpoint endpoint({.url = *ParseEndpointUrl(server.url())}, {});
  EXPECT_THAT(*endpoint.Models({.total = 20s, .idle = 20s}, {}), ElementsAre("a", "b"));
}

TEST(OpenAiEndpointTest, AnswersComeUnderTlsAndOnlyFromWhomWeTrust) {
  const auto folder = TempDir::Make("endpoint-tls");
  const auto certificates = TestCertificates::Make(folder->path());
  if (!certificates && certificates.error().code == Errc::kUnsupported) {
    GTEST_SKIP() << certificates.error().message;
  }
  ASSERT_TRUE(certificates) << certificates.error().message;
  ASSERT_TRUE(certificates->Sign("server", "DNS:localhost"));
  const ScriptedServer server(GoodEndpoint([](const ChatRequest&) { return TextAnswer("safe"); }));
  const auto relay = TlsRelay::Start(certificates->File("server.crt"),
                                     certificates->File("server.key"), server.port());
  ASSERT_TRUE(relay);
  const auto url = "https://localhost:" + std::to_string((*relay)->port());
  OpenAiEndpoint trusted({.url = *ParseEndpointUrl(url), .ca_file = certificates->File("ca.crt")},
                         {});
  const ChatAttempt attempt = AskAt(trusted);
  ASSERT_TRUE(attempt.answer) << attempt.answer.error().message;
  EXPECT_EQ(attempt.answer->message.text, "safe");
  OpenAiEndpoint unknown({.url = *ParseEndpointUrl(url)}, {});
  EXPECT_EQ(AskAt(unknown).fault, Fault::kOfEndpoint);
  EXPECT_EQ(server.requests().size(), 1U);
}

}  // namespace
}  // namespace hone::agent

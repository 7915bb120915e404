// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <signal.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hone/base/file.h"
#include "hone/base/http/http_client.h"
#include "hone/server/http/tokens.h"
#include "hone/testing/test_redis.h"
#include "tests/e2e/hone_process.h"

namespace hone {

// `hone serve` with one worker, on a port and a store of its own.
class ServiceProcessTest : public HoneTest {
 protected:
  ~ServiceProcessTest() override {
    if (live_) Stop();
  }

  std::string FileWith(const char* name, const std::string& text) const {
    const auto path = Folder() / name;
    EXPECT_TRUE(WriteFileDurably(path, text));
    return path.string();
  }

  HttpCall CallTo(const std::string& method, const std::string& target) const {
    HttpCall call;
    call.url = ParseHttpUrl(Url()).value();
    call.method = method;
    call.target = target;
    return call;
  }

  std::string Url() const { return "http://127.0.0.1:" + std::to_string(port_); }

  void Serve(std::vector<std::string> more = {}) {
    port_ = FreePort();
    std::vector<std::string> words{"serve", "--port", std::to_string(port_), "--workers", "1"};
    words.insert(words.end(), more.begin(), more.end());
    live_.emplace(Start(words, [this] { return CallHttp(CallTo("GET", "/health")).has_value(); }));
  }

  ProcessResult Stop() {
    ::kill(live_->pid, SIGTERM);
    ProcessResult result = live_->result.get();
    live_.reset();
    return result;
  }

  std::string TokenOf(server::TokenRole role) const {
    return server::TokenBook::Load(Folder() / "tokens").value().TokenOf(role).value();
  }

  Json Send(HttpCall call, server::TokenRole role, const Json& body, int status) const {
    return SendWith(TokenOf(role), std::move(call), body, status);
  }

  Json SendWith(const std::string& token, HttpCall call, const Json& body, int status) const {
    call.headers = {{"Authorization", "Bearer " + token}, {"Content-Type", "application/json"}};
    if (!body.is_null()) call.body = Dump(body);
    const auto reply = CallHttp(call);
    if (!reply) {
      ADD_FAILURE() << reply.error().message;
      return nullptr;
    }
    EXPECT_EQ(reply->status, status) << reply->body;
    return ParseJson(reply->body, "reply").value_or(nullptr);
  }

  int port_ = 0;
  std::optional<Live> live_;
};

}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
// libFuzzer target for what endpoints of language models send: the first byte of the input says in
// pieces of what size the rest comes. scripts/fuzz-chat builds and runs it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "hone/agent/chat/openai_wire.h"
#include "hone/base/http/http_reply_parser.h"
#include "hone/base/http/server_sent_events.h"
#include "hone/base/json/json.h"

namespace hone::agent {
namespace {

constexpr std::size_t kMaxText = 2000;
constexpr std::size_t kMaxBody = 20'000;

void TryAnswer(const Result<ChatAnswer>& answer) {
  if (!answer) return;
  const ChatUsage& usage = answer->usage;
  if (answer->message.text.size() + answer->message.reasoning.size() > kMaxText ||
      usage.prompt_tokens < 0 || usage.answer_tokens < 0 ||
      usage.reasoning_tokens > usage.answer_tokens || answer->message.calls.size() > 4) {
    __builtin_trap();
  }
}

void TryEvents(std::string_view bytes, std::size_t piece) {
  AnswerBuilder builder({.text_bytes = kMaxText, .body_bytes = kMaxBody, .calls = 4});
  ServerSentEvents events(
      [&](const ServerSentEvent& event) -> Result<bool> {
        const auto json = ParseJson(event.data, "stream");
        if (!json) return json.error();
        const auto text = builder.Take(*json);
        if (!text) return text.error();
        return true;
      },
      kMaxBody);
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    const auto fed = events.Feed(bytes.substr(at, piece));
    if (!fed || !*fed) return;
  }
  if (events.End()) TryAnswer(builder.Finish(false));
}

void TryReply(std::string_view bytes, std::size_t piece) {
  HttpReplyParser parser({.head_bytes = 1000, .body_bytes = kMaxBody});
  bool is_whole = false;
  for (std::size_t at = 0; at < bytes.size() && !is_whole; at += piece) {
    const auto fed = parser.Feed(bytes.substr(at, piece));
    if (!fed) return;
    is_whole = *fed;
  }
  if (!is_whole && !parser.End()) return;
  const HttpReply reply = parser.Take();
  if (reply.body.size() > kMaxBody) __builtin_trap();
  static_cast<void>(reply.Header("content-type"));
  static_cast<void>(ErrorText(reply.body));
  TryEvents(reply.body, piece);
  const auto json = ParseJson(reply.body, "answer");
  if (!json) return;
  AnswerBuilder builder({.text_bytes = kMaxText, .body_bytes = kMaxBody, .calls = 4});
  if (builder.Take(*json)) TryAnswer(builder.Finish(true));
}

}  // namespace
}  // namespace hone::agent

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t piece = std::max<std::size_t>(1, bytes[0]);
  const std::string_view input(reinterpret_cast<const char*>(bytes) + 1, size - 1);
  hone::agent::TryReply(input, piece);
  hone::agent::TryEvents(input, piece);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "hone/agent/chat/chat_model.h"
#include "hone/agent/chat/secret_key.h"
#include "hone/base/json/json.h"

// The messages of OpenAI-compatible endpoints, as servers really write and read them.
namespace hone::agent {

// In what servers differ.
struct WireDialect {
  bool says_completion_tokens = false;  // max_completion_tokens instead of max_tokens.
  bool asks_for_usage = true;           // stream_options.
  bool knows_schemas = true;            // response_format; else the form is told in words.
};

Json RequestJson(const ChatRequest& request, const std::string& model, const WireDialect& dialect);

// More tokens than the prompt of this request can have: no tokenizer makes more than one of a byte,
// and templates add some around each message.
std::int64_t MaxPromptTokens(const ChatRequest& request);

// A guess for rates, and for servers that do not tell.
std::int64_t GuessTokens(std::size_t bytes);

// What an answer may be at most, so that a server that never ends is ended.
struct AnswerLimits {
  std::size_t text_bytes;  // Text, reasoning and arguments of calls together.
  std::size_t body_bytes;  // With all that is around them.
  std::size_t calls = 64;
};
AnswerLimits LimitsOf(const ChatRequest& request);

// Puts an answer together: from a whole reply, or from the pieces of a stream. What is missing or
// null is tolerated; what is of the wrong kind or says "error" is an Error of kUnavailable,
// what is too large one of kUnsupported. The key is taken out of what is cut, before it is: a part
// of it would not be found later. Whole texts may have it in them.
class AnswerBuilder {
 public:
  explicit AnswerBuilder(AnswerLimits limits, SecretKey key = {})
      : limits_(limits), key_(std::move(key)) {}

  // A chat.completion or a chat.completion.chunk. Returns the new piece of the answer's text.
  Result<std::string> Take(const Json& object);

  // At the end. `is_marked` tells that the end of the stream was there, or that it was no stream.
  Result<ChatAnswer> Finish(bool is_marked);

  bool has_usage() const { return has_usage_; }

 private:
  Result<void> TakeMessage(const Json& message);
  Result<void> TakeCalls(const Json& calls);
  Result<void> TakeCall(const Json& piece, std::size_t place);
  void TakeUsage(const Json& usage);
  Result<void> Append(std::string& target, const std::string& piece);
  std::string ShortName(const Json* name) const;

  AnswerLimits limits_;
  SecretKey key_;
  ChatAnswer answer_;
  std::string end_;
  bool has_choice_ = false;
  bool has_usage_ = false;
  std::size_t text_bytes_ = 0;
};

// What a server says of an error, in one line: of {"error": {"message": …}}, {"error": "…"},
// {"message": …}, {"detail": …}; else the beginning of the text itself. Without signs that a
// terminal obeys, and without the key.
std::string ErrorText(std::string_view body, const SecretKey& key = {});

// The member "error" of an object, if there is one that is not null.
const Json* ErrorOf(const Json& object);

}  // namespace hone::agent

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hone/agent/chat/chat_model.h"
#include "hone/base/json/json.h"
#include "hone/core/result.h"

// Requests and answers as they are stored: docs/formats/store.md.
namespace hone::agent {

Json ToJson(const ChatRequest& request);

// What came of a request: {"answer": …} or {"error": …}. An error is as much a part of what
// happened as an answer: whoever asked went on with it.
Json ToJson(const Result<ChatAnswer>& outcome);

struct ChatOutcome {
  Result<ChatAnswer> answer;
};
Result<ChatOutcome> ReadChatOutcome(const Json& json, const std::string& what);

// Of a request in its stored form: equal for equal requests.
std::string DigestOfRequest(const Json& request);

// Where two stored requests first differ, with the beginning of what stands there:
// "/messages/1/text: \"tune it\" was recorded, \"tune them\" is asked now".
std::string FirstDifference(const Json& recorded, const Json& asked);

}  // namespace hone::agent

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/agent/chat/chat_model.h"
#include "hone/agent/chat/scripted_model_for_test.h"
#include "hone/base/http/scripted_server_for_test.h"

// Endpoints on loopback for tests: well-behaved ones, and parts to make others of.
namespace hone::agent {

// The answer as a server writes it: whole, or as the events of a stream ("data: …\n\n" each), its
// text in pieces of this many bytes, without the final [DONE].
std::string AnswerBody(const ChatAnswer& answer);
std::vector<std::string> AnswerEvents(const ChatAnswer& answer, std::size_t piece_bytes = 3);

// Sends the answer as a whole stream.
void StreamAnswer(ScriptedReply& reply, const ChatAnswer& answer, std::size_t piece_bytes = 3);

// As openai servers refuse: {"error": {"message", "type", "code"}}.
void RefuseAsked(ScriptedReply& reply, int status, const std::string& message,
                 const std::string& more_headers = "");

// A request that a client sent, read back.
ChatRequest ReadWireRequest(const std::string& body);

// Serves the model "scripted" at /v1 as it should be: what the script says is streamed; its
// kInvalidArgument is status 400, every other Error 500.
HttpScript GoodEndpoint(ScriptedModel::Script script);

}  // namespace hone::agent

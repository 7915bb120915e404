// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hone/base/json/json.h"
#include "hone/llm/openai/openai_request.h"
#include "hone/llm/openai/text_filters.h"
#include "hone/llm/openai/text_model.h"
#include "hone/llm/serve/engine_words.h"

namespace hone::llm {

// One choice as its tokens come in: text, calls of tools, ids and log-probabilities.
class OpenAiChoice {
 public:
  // The model outlives it.
  OpenAiChoice(const TextModel& model, const OpenAiRequest& request);

  // What is new since the last call, for a stream.
  struct Piece {
    std::string text;
    std::vector<SampledToken> tokens;
  };
  Piece Add(const GenerationEvent& event);

  bool is_finished() const { return !finish_.empty(); }
  const std::string& finish() const { return finish_; }  // As OpenAI names it.
  const std::string& text() const { return text_; }
  const std::vector<ToolCall>& calls() const { return tools_.calls(); }
  const std::vector<SampledToken>& tokens() const { return tokens_; }

 private:
  void Finish(FinishReason reason, Piece& piece);

  std::vector<TokenId> stop_ids_;
  TextStream stream_;
  StopFilter stop_;
  ToolFilter tools_;
  std::string text_;
  std::vector<SampledToken> tokens_;
  std::string finish_;
};

// The whole answer to one request, or its stream: all JSON of OpenAI's API is made here.
class OpenAiAnswer {
 public:
  OpenAiAnswer(const TextModel& model, OpenAiRequest request, std::string id, std::int64_t created);

  const OpenAiRequest& request() const { return request_; }

  // An event of the prompt with this number. The texts of events that a stream sends for it;
  // nothing where the answer comes at once.
  std::string Add(std::size_t prompt, const GenerationEvent& event);

  bool is_finished() const { return unfinished_ == 0; }
  bool IsFinished(std::size_t prompt) const;  // None of its choices needs more tokens.

  Json Whole() const;
  std::string StreamBegin() const;
  std::string StreamEnd() const;

 private:
  std::size_t IndexOf(std::size_t prompt, int sample) const;
  Json Frame(bool is_chunk) const;
  std::string Chunk(Json choice) const;
  Json WholeChoice(std::size_t index) const;
  Json ChatLogProbs(const std::vector<SampledToken>& tokens) const;
  Json TextLogProbs(const std::vector<SampledToken>& tokens) const;
  Json Usage() const;
  Json CallsJson(std::size_t index) const;
  std::string PieceText(std::size_t index, const OpenAiChoice::Piece& piece) const;
  std::string LastPieces(std::size_t index) const;

  const TextModel& model_;
  const OpenAiRequest request_;
  const std::string id_;
  const std::int64_t created_;
  std::vector<OpenAiChoice> choices_;
  std::size_t unfinished_;
};

}  // namespace hone::llm

// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/serve/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

namespace hone::llm {
namespace {

constexpr std::array<std::string_view, 3> kFinishNames = {"stop", "length", "cancelled"};

TokenId ReadTokenId(JsonReader reader) {
  const std::int64_t id = reader.Integer();
  if (id < 0 || id > std::numeric_limits<TokenId>::max()) reader.Fail("is no token");
  return static_cast<TokenId>(id);
}

std::vector<TokenId> ReadIds(JsonReader reader) {
  std::vector<TokenId> ids;
  for (const JsonReader& item : reader.Items()) ids.push_back(ReadTokenId(item));
  return ids;
}

int ReadSmall(JsonReader reader) {
  const std::int64_t number = reader.Integer();
  if (number < 0 || number > (1 << 20)) reader.Fail("is out of range");
  return static_cast<int>(number);
}

float ReadFloat(JsonReader reader) { return static_cast<float>(reader.Number()); }

// JSON has no word for minus infinity.
double Finite(float value) {
  return std::max(static_cast<double>(value),
                  static_cast<double>(std::numeric_limits<float>::lowest()));
}

Json SubmitJson(const SubmitMessage& message) {
  const GenerationRequest& wanted = message.request;
  const Sampling& sampling = wanted.sampling;
  return {{"do", "submit"},
          {"id", message.id},
          {"prompt", wanted.prompt},
          {"samples", wanted.samples},
          {"max_tokens", wanted.max_tokens},
          {"seed", wanted.seed},
          {"stop_ids", wanted.stop_ids},
          {"top_logprobs", wanted.top_log_probabilities},
          {"temperature", sampling.temperature},
          {"top_k", sampling.top_k},
          {"top_p", sampling.top_p},
          {"min_p", sampling.min_p},
          {"repetition_penalty", sampling.repetition_penalty},
          {"presence_penalty", sampling.presence_penalty},
          {"frequency_penalty", sampling.frequency_penalty}};
}

SubmitMessage ReadSubmit(JsonReader& reader) {
  SubmitMessage message;
  message.id = reader.At("id").Unsigned();
  GenerationRequest& wanted = message.request;
  wanted.prompt = ReadIds(reader.At("prompt"));
  wanted.samples = ReadSmall(reader.At("samples"));
  wanted.max_tokens = reader.At("max_tokens").Integer();
  wanted.seed = reader.At("seed").Unsigned();
  wanted.stop_ids = ReadIds(reader.At("stop_ids"));
  wanted.top_log_probabilities = ReadSmall(reader.At("top_logprobs"));
  Sampling& sampling = wanted.sampling;
  sampling.temperature = reader.At("temperature").Number();
  sampling.top_k = reader.At("top_k").Integer();
  sampling.top_p = reader.At("top_p").Number();
  sampling.min_p = reader.At("min_p").Number();
  sampling.repetition_penalty = reader.At("repetition_penalty").Number();
  sampling.presence_penalty = reader.At("presence_penalty").Number();
  sampling.frequency_penalty = reader.At("frequency_penalty").Number();
  return message;
}

Json EventJson(const GenerationEvent& event) {
  Json ids = Json::array();
  Json logs = Json::array();
  Json sampled = Json::array();
  Json tops = Json::array();
  bool has_top = false;
  for (const SampledToken& token : event.tokens) {
    ids.push_back(token.id);
    logs.push_back(Finite(token.log_probability));
    sampled.push_back(Finite(token.sampled_probability));
    Json top = Json::array();
    for (const auto& [id, log] : token.top) top.push_back({id, Finite(log)});
    has_top |= !token.top.empty();
    tops.push_back(std::move(top));
  }
  Json json = {{"is", "tokens"}, {"id", event.request}, {"sample", event.sample},
               {"ids", ids},     {"logprobs", logs},    {"sampled_logprobs", sampled}};
  if (has_top) json["top"] = std::move(tops);
  if (event.finish) json["finish"] = kFinishNames[static_cast<std::size_t>(*event.finish)];
  return json;
}

void ReadTop(JsonReader reader, std::vector<SampledToken>& tokens) {
  auto rows = reader.Items();
  if (rows.size() != tokens.size()) return reader.Fail("has another length than ids");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (JsonReader& pair : rows[i].Items()) {
      auto parts = pair.Items();
      if (parts.size() != 2) return pair.Fail("is no pair");
      tokens[i].top.emplace_back(ReadTokenId(parts[0]), ReadFloat(parts[1]));
    }
  }
}

GenerationEvent ReadEvent(JsonReader& reader) {
  GenerationEvent event;
  event.request = reader.At("id").Unsigned();
  event.sample = ReadSmall(reader.At("sample"));
  const auto ids = ReadIds(reader.At("ids"));
  auto logs = reader.At("logprobs").Items();
  auto sampled = reader.At("sampled_logprobs").Items();
  if (logs.size() != ids.size() || sampled.size() != ids.size()) {
    reader.Fail("ids and logprobs differ in length");
    return event;
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    event.tokens.push_back({ids[i], ReadFloat(logs[i]), ReadFloat(sampled[i]), {}});
  }
  if (reader.Has("top")) ReadTop(reader.At("top"), event.tokens);
  if (!reader.Has("finish")) return event;
  const std::string name = reader.At("finish").String();
  for (std::size_t i = 0; i < kFinishNames.size(); ++i) {
    if (name == kFinishNames[i]) event.finish = static_cast<FinishReason>(i);
  }
  if (!event.finish) reader.At("finish").Fail("is no reason");
  return event;
}

EngineFacts ReadFacts(JsonReader& reader) {
  EngineFacts facts;
  facts.vocab_size = reader.At("vocab_size").Integer();
  facts.max_length = reader.At("max_length").Integer();
  facts.rows = reader.At("rows").Integer();
  facts.placed = reader.At("placed").String();
  facts.identity = reader.At("identity").String();
  return facts;
}

EngineStats ReadStats(JsonReader& reader) {
  EngineStats stats;
  stats.requests = reader.At("requests").Unsigned();
  stats.steps = reader.At("steps").Unsigned();
  stats.prompt_tokens = reader.At("prompt_tokens").Unsigned();
  stats.computed_tokens = reader.At("computed_tokens").Unsigned();
  stats.sampled_tokens = reader.At("sampled_tokens").Unsigned();
  stats.rows_in_use = reader.At("rows_in_use").Integer();
  stats.samples_waiting = reader.At("samples_waiting").Integer();
  return stats;
}

struct ToEngineJson {
  Json operator()(const SubmitMessage& message) const { return SubmitJson(message); }
  Json operator()(const CancelMessage& message) const {
    return {{"do", "cancel"}, {"id", message.id}};
  }
  Json operator()(const AskStatsMessage&) const { return {{"do", "stats"}}; }
};

struct FromEngineJson {
  Json operator()(const EngineFacts& facts) const {
    return {{"is", "ready"},          {"vocab_size", facts.vocab_size},
            {"rows", facts.rows},     {"max_length", facts.max_length},
            {"placed", facts.placed}, {"identity", facts.identity}};
  }
  Json operator()(const GenerationEvent& event) const { return EventJson(event); }
  Json operator()(const FailedMessage& failed) const {
    return {{"is", "failed"}, {"id", failed.id}, {"message", failed.message}};
  }
  Json operator()(const EngineStats& stats) const {
    return {{"is", "stats"},
            {"requests", stats.requests},
            {"steps", stats.steps},
            {"prompt_tokens", stats.prompt_tokens},
            {"computed_tokens", stats.computed_tokens},
            {"sampled_tokens", stats.sampled_tokens},
            {"rows_in_use", stats.rows_in_use},
            {"samples_waiting", stats.samples_waiting}};
  }
};

}  // namespace

Json ToJson(const ToEngine& message) { return std::visit(ToEngineJson(), message); }
Json ToJson(const FromEngine& message) { return std::visit(FromEngineJson(), message); }

Result<ToEngine> ReadToEngine(const Json& json) {
  JsonReader reader(json, "a message to the engine");
  const std::string what = reader.At("do").String();
  ToEngine message = AskStatsMessage{};
  if (what == "submit") {
    message = ReadSubmit(reader);
  } else if (what == "cancel") {
    message = CancelMessage{reader.At("id").Unsigned()};
  } else if (what != "stats") {
    reader.Fail("is no message that the engine knows");
  }
  if (auto read = reader.Finish(); !read) return read.error();
  return message;
}

Result<FromEngine> ReadFromEngine(const Json& json) {
  JsonReader reader(json, "a message of the engine");
  const std::string what = reader.At("is").String();
  FromEngine message;
  if (what == "ready") {
    message = ReadFacts(reader);
  } else if (what == "tokens") {
    message = ReadEvent(reader);
  } else if (what == "failed") {
    message = FailedMessage{reader.At("id").Unsigned(), reader.At("message").String()};
  } else if (what == "stats") {
    message = ReadStats(reader);
  } else {
    reader.Fail("is no message that the engine sends");
  }
  if (auto read = reader.Finish(); !read) {
    return Error{Errc::kCorrupt, read.error().message};
  }
  return message;
}

}  // namespace hone::llm

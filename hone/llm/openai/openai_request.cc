// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/openai/openai_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "hone/base/json/ordered_json.h"

namespace hone::llm {
namespace {

constexpr std::size_t kMaxStops = 16;
constexpr std::int64_t kCompletionTokens = 16;  // OpenAI's default.

using Fault = std::optional<OpenAiFault>;

OpenAiFault Wrong(std::string param, std::string_view message) {
  OpenAiFault fault;
  fault.message = fmt::format("{}: {}", param, message);
  fault.param = std::move(param);
  return fault;
}

// Reads members that may be missing or null. The first fault is kept.
class Members {
 public:
  explicit Members(const Json& body) : body_(body) {}

  const Json* Find(const char* name) const {
    const auto found = body_.find(name);
    return found == body_.end() || found->is_null() ? nullptr : &*found;
  }
  void Fail(const char* name, std::string_view message) {
    if (!fault_) fault_ = Wrong(name, message);
  }
  double Number(const char* name, double value, double low, double high) {
    const Json* found = Find(name);
    if (!found) return value;
    if (!found->is_number() || found->get<double>() < low || found->get<double>() > high) {
      Fail(name, fmt::format("expected a number from {} to {}", low, high));
      return value;
    }
    return found->get<double>();
  }
  std::int64_t Integer(const char* name, std::int64_t value, std::int64_t low, std::int64_t high) {
    const Json* found = Find(name);
    if (!found) return value;
    const bool is_number = found->is_number_integer() &&
                           !(found->is_number_unsigned() &&
                             found->get<std::uint64_t>() > static_cast<std::uint64_t>(high));
    if (!is_number || found->get<std::int64_t>() < low || found->get<std::int64_t>() > high) {
      Fail(name, fmt::format("expected a whole number from {} to {}", low, high));
      return value;
    }
    return found->get<std::int64_t>();
  }
  bool Bool(const char* name) {
    const Json* found = Find(name);
    if (found && !found->is_boolean()) Fail(name, "expected true or false");
    return found && found->is_boolean() && found->get<bool>();
  }
  // What would be ignored although it asks for something.
  void Refuse(const char* name, bool is_asked) {
    if (is_asked) Fail(name, "this server does not do that");
  }
  const Fault& fault() const { return fault_; }

 private:
  const Json& body_;
  Fault fault_;
};

void ReadStop(Members& members, OpenAiRequest& request) {
  const Json* stop = members.Find("stop");
  if (!stop) return;
  const Json list = stop->is_string() ? Json::array({*stop}) : *stop;
  if (!list.is_array() || list.size() > kMaxStops) {
    return members.Fail("stop", fmt::format("expected a text or up to {} of them", kMaxStops));
  }
  for (const Json& word : list) {
    if (!word.is_string() || word.get_ref<const std::string&>().empty()) {
      return members.Fail("stop", "expected texts that are not empty");
    }
    request.stop.push_back(word.get<std::string>());
  }
}

void ReadStopIds(Members& members, const TextModel& model, OpenAiRequest& request) {
  if (!members.Bool("ignore_eos")) request.generation.stop_ids = model.stop_ids();
  const Json* given = members.Find("stop_token_ids");
  if (!given) return;
  if (!given->is_array()) return members.Fail("stop_token_ids", "expected a list of ids");
  for (const Json& id : *given) {
    if (!id.is_number_unsigned() || id.get<std::uint64_t>() > std::numeric_limits<TokenId>::max()) {
      return members.Fail("stop_token_ids", "expected a list of ids");
    }
    request.generation.stop_ids.push_back(id.get<TokenId>());
  }
}

void ReadSampling(Members& members, const GenerationConfig& makers, Sampling& sampling) {
  const bool samples = makers.do_sample;
  sampling.temperature = members.Number("temperature", samples ? makers.temperature : 1, 0, 100);
  sampling.top_p = members.Number("top_p", samples ? makers.top_p : 1, 0, 1);
  sampling.top_k =
      std::max<std::int64_t>(0, members.Integer("top_k", samples ? makers.top_k : 0, -1, 1 << 30));
  sampling.min_p = members.Number("min_p", 0, 0, 1);
  sampling.repetition_penalty =
      members.Number("repetition_penalty", makers.repetition_penalty, 1e-3, 1e3);
  sampling.presence_penalty = members.Number("presence_penalty", 0, -2, 2);
  sampling.frequency_penalty = members.Number("frequency_penalty", 0, -2, 2);
}

void ReadLogProbs(Members& members, OpenAiRequest& request) {
  if (request.is_chat) {
    request.wants_logprobs = members.Bool("logprobs");
    request.generation.top_log_probabilities =
        static_cast<int>(members.Integer("top_logprobs", 0, 0, kMaxTopLogProbs));
    return;
  }
  if (!members.Find("logprobs")) return;
  request.wants_logprobs = true;
  request.generation.top_log_probabilities =
      static_cast<int>(members.Integer("logprobs", 0, 0, kMaxTopLogProbs));
}

void ReadTools(Members& members, OpenAiRequest& request) {
  const Json* tools = members.Find("tools");
  const Json* choice = members.Find("tool_choice");
  if (tools && !tools->is_array()) return members.Fail("tools", "expected a list");
  request.has_tools = tools && !tools->empty();
  if (!choice || (choice->is_string() && *choice == "auto")) return;
  if (choice->is_string() && *choice == "none") {
    request.has_tools = false;
    return;
  }
  members.Fail("tool_choice", "this server knows none and auto; it cannot force a call");
}

void RefuseWhatIsNotThere(Members& members) {
  const Json* bias = members.Find("logit_bias");
  members.Refuse("logit_bias", bias && !bias->empty());
  const Json* format = members.Find("response_format");
  members.Refuse("response_format", format && format->value("type", "text") != "text");
  members.Refuse("echo", members.Bool("echo"));
  members.Refuse("suffix", members.Find("suffix") != nullptr);
  const Json* best_of = members.Find("best_of");
  members.Refuse("best_of", best_of && *best_of != members.Integer("n", 1, 1, 1 << 20));
}

// Content may be a list of parts; templates want a text.
Fault PlainContent(OrderedJson& message) {
  if (!message.is_object() || !message.contains("role") || !message["role"].is_string()) {
    return Wrong("messages", "each has a role");
  }
  if (message["role"] == "developer") message["role"] = "system";
  if (!message.contains("content") || message["content"].is_null()) {
    message["content"] = "";
    return std::nullopt;
  }
  OrderedJson& content = message["content"];
  if (content.is_string()) return std::nullopt;
  if (!content.is_array()) return Wrong("messages", "content is a text or a list of parts");
  std::string text;
  for (const OrderedJson& part : content) {
    if (!part.is_object() || part.value("type", "") != "text" || !part.contains("text") ||
        !part["text"].is_string()) {
      return Wrong("messages", "content: parts of the type text only");
    }
    text += part["text"].get<std::string>();
  }
  content = text;
  return std::nullopt;
}

// Templates write arguments as JSON: a text would be quoted twice.
Fault PlainCalls(OrderedJson& message) {
  if (!message.contains("tool_calls") || message["tool_calls"].is_null()) return std::nullopt;
  if (!message["tool_calls"].is_array()) return Wrong("messages", "tool_calls is a list");
  for (OrderedJson& call : message["tool_calls"]) {
    if (!call.is_object() || !call.contains("function") || !call["function"].is_object() ||
        !call["function"].contains("name")) {
      return Wrong("messages", "tool_calls: each has a function with a name");
    }
    OrderedJson& function = call["function"];
    if (!function.contains("arguments") || !function["arguments"].is_string()) continue;
    auto parsed =
        ParseOrderedJson(function["arguments"].get_ref<const std::string&>(), "arguments");
    if (parsed) function["arguments"] = std::move(*parsed);
  }
  return std::nullopt;
}

tl::expected<std::vector<TokenId>, OpenAiFault> ChatPrompt(std::string_view body,
                                                           const OpenAiRequest& request,
                                                           const TextModel& model) {
  auto json = ParseOrderedJson(body, "the body");
  if (!json) return tl::unexpected(Wrong("body", json.error().message));
  if (!json->contains("messages") || !(*json)["messages"].is_array() ||
      (*json)["messages"].empty()) {
    return tl::unexpected(Wrong("messages", "expected a list with at least one message"));
  }
  OrderedJson context = OrderedJson::object();
  if (json->contains("chat_template_kwargs") && (*json)["chat_template_kwargs"].is_object()) {
    context = (*json)["chat_template_kwargs"];
  }
  context["messages"] = (*json)["messages"];
  for (OrderedJson& message : context["messages"]) {
    if (auto fault = PlainContent(message)) return tl::unexpected(*fault);
    if (auto fault = PlainCalls(message)) return tl::unexpected(*fault);
  }
  if (request.has_tools) context["tools"] = (*json)["tools"];
  auto ids = model.EncodeChat(context);
  if (!ids) return tl::unexpected(Wrong("messages", ids.error().message));
  return std::move(*ids);
}

bool IsIdList(const Json& value) {
  return value.is_array() && !value.empty() &&
         std::all_of(value.begin(), value.end(), [](const Json& id) {
           return id.is_number_unsigned() &&
                  id.get<std::uint64_t>() <= std::numeric_limits<TokenId>::max();
         });
}

Fault ReadPrompts(const Json& body, const TextModel& model, OpenAiRequest& request) {
  if (!body.contains("prompt")) return Wrong("prompt", "it is missing");
  const Json& given = body["prompt"];
  const bool is_one = given.is_string() || IsIdList(given);
  const Json list = is_one ? Json::array({given}) : given;
  if (!list.is_array() || list.empty()) {
    return Wrong("prompt", "expected a text, ids, or a list of either");
  }
  for (const Json& prompt : list) {
    if (prompt.is_string()) {
      request.prompts.push_back(model.EncodeText(prompt.get_ref<const std::string&>()));
    } else if (IsIdList(prompt)) {
      request.prompts.push_back(prompt.get<std::vector<TokenId>>());
    } else {
      return Wrong("prompt", "expected a text, ids, or a list of either");
    }
  }
  return std::nullopt;
}

Fault CheckRoom(const OpenAiRequest& request, const OpenAiLimits& limits) {
  for (const auto& prompt : request.prompts) {
    const auto length = static_cast<std::int64_t>(prompt.size());
    if (prompt.empty()) return Wrong(request.is_chat ? "messages" : "prompt", "it has no token");
    if (length < limits.max_length) continue;
    OpenAiFault fault = Wrong(request.is_chat ? "messages" : "prompt",
                              fmt::format("{} tokens; the context of this model is {}, and "
                                          "something must fit after them",
                                          length, limits.max_length));
    fault.code = "context_length_exceeded";
    return fault;
  }
  const auto choices =
      request.prompts.size() * static_cast<std::size_t>(request.generation.samples);
  if (choices > static_cast<std::size_t>(limits.max_choices)) {
    return Wrong("n", fmt::format("{} choices; at most {} at once", choices, limits.max_choices));
  }
  return std::nullopt;
}

Fault CheckModel(Members& members, const TextModel& model) {
  const Json* name = members.Find("model");
  if (!name || (name->is_string() && *name == model.name())) return std::nullopt;
  OpenAiFault fault = Wrong("model", fmt::format("this server has \"{}\"", model.name()));
  fault.status = 404;
  fault.code = "model_not_found";
  return fault;
}

}  // namespace

Json ToJson(const OpenAiFault& fault) {
  return {{"error",
           {{"message", fault.message},
            {"type", fault.type},
            {"param", fault.param.empty() ? Json() : Json(fault.param)},
            {"code", fault.code.empty() ? Json() : Json(fault.code)}}}};
}

tl::expected<OpenAiRequest, OpenAiFault> ReadOpenAiRequest(std::string_view body, bool is_chat,
                                                           const TextModel& model,
                                                           const OpenAiLimits& limits,
                                                           std::uint64_t fresh_seed) {
  const auto json = ParseJson(body, "the body", {.bytes = 32 << 20, .depth = 64});
  if (!json) return tl::unexpected(Wrong("body", json.error().message));
  if (!json->is_object()) return tl::unexpected(Wrong("body", "expected an object"));
  Members members(*json);
  if (auto fault = CheckModel(members, model)) return tl::unexpected(*fault);
  OpenAiRequest request;
  request.is_chat = is_chat;
  GenerationRequest& generation = request.generation;
  ReadSampling(members, model.generation(), generation.sampling);
  ReadLogProbs(members, request);
  ReadStop(members, request);
  ReadStopIds(members, model, request);
  ReadTools(members, request);
  RefuseWhatIsNotThere(members);
  generation.samples = static_cast<int>(members.Integer("n", 1, 1, limits.max_choices));
  const std::int64_t usual = is_chat ? limits.max_length : kCompletionTokens;
  generation.max_tokens = members.Integer("max_tokens", usual, 1, 1 << 30);
  generation.max_tokens =
      members.Integer("max_completion_tokens", generation.max_tokens, 1, 1 << 30);
  generation.seed = fresh_seed;
  if (const Json* seed = members.Find("seed")) {
    if (seed->is_number_integer()) {
      generation.seed = static_cast<std::uint64_t>(seed->get<std::int64_t>());
    } else {
      members.Fail("seed", "expected a whole number");
    }
  }
  request.is_stream = members.Bool("stream");
  request.returns_ids = members.Bool("return_token_ids");
  if (const Json* options = members.Find("stream_options"); options && options->is_object()) {
    request.includes_usage = options->value("include_usage", Json(false)) == true;
  }
  if (members.fault()) return tl::unexpected(*members.fault());
  if (is_chat) {
    auto prompt = ChatPrompt(body, request, model);
    if (!prompt) return tl::unexpected(prompt.error());
    request.prompts.push_back(std::move(*prompt));
  } else if (auto fault = ReadPrompts(*json, model, request)) {
    return tl::unexpected(*fault);
  }
  if (auto fault = CheckRoom(request, limits)) return tl::unexpected(*fault);
  return request;
}

}  // namespace hone::llm

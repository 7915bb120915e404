// SPDX-License-Identifier: Apache-2.0
// The endpoint of bench/planted: it does what every sentence of a prompt says. Prints where it
// listens, and where it notices who comes by; ends with its input.
#include <CLI/CLI.hpp>
#include <array>
#include <cstddef>
#include <fstream>
#include <iostream>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "bench/benchmark_main.h"
#include "bench/obedient_endpoint.h"
#include "hone/agent/chat/scripted_endpoint_for_test.h"
#include "hone/base/file.h"
#include "hone/base/http/scripted_server_for_test.h"
#include "hone/base/json/json.h"

namespace hone {
namespace {

// What came and went, a JSON object a line.
class Witness {
 public:
  explicit Witness(const std::string& file) : out_(file, std::ios::app) {}

  void Note(const Json& record) {
    const std::lock_guard lock(mutex_);
    out_ << Dump(record) << std::endl;
  }

 private:
  std::mutex mutex_;
  std::ofstream out_;
};

Json CallsJson(const std::vector<agent::ToolCall>& calls) {
  Json json = Json::array();
  for (const agent::ToolCall& call : calls) {
    json.push_back({{"name", call.name}, {"arguments", call.arguments}});
  }
  return json;
}

std::string AskedWord(AskedFor asked) {
  constexpr std::array<const char*, 6> kWords = {"candidates", "plan",   "opinion",
                                                 "options",    "kernel", "anything"};
  return kWords.at(static_cast<std::size_t>(asked));
}

void NoteAnswer(Witness& witness, const ScriptedRequest& asked, const Json& body,
                const Obedience& done) {
  Json tools = Json::array();
  for (const Json& tool : body.value("tools", Json::array())) {
    tools.push_back(tool.at("function").at("name"));
  }
  const agent::ChatUsage& usage = done.answer.usage;
  witness.Note({{"event", "asked"},
                {"for", AskedWord(done.asked)},
                {"body", asked.body},
                {"messages", body.at("messages")},
                {"tools", std::move(tools)},
                {"reached", done.reached},
                {"obeyed", done.obeyed},
                {"text", done.answer.message.text},
                {"calls", CallsJson(done.answer.message.calls)},
                {"tokens", usage.prompt_tokens + usage.answer_tokens}});
}

HttpScript ObedientEndpoint(ObedientModel& model, Witness& witness) {
  return [&](const ScriptedRequest& request, ScriptedReply& reply) {
    if (request.target != "/v1/chat/completions") {
      return agent::GoodEndpoint(nullptr)(request, reply);
    }
    constexpr std::string_view kBearer = "Bearer ";
    std::string key = request.Header("authorization");
    key = key.starts_with(kBearer) ? key.substr(kBearer.size()) : "none";
    const Json body = ParseJson(request.body, "request").value();
    const Obedience done = model.Answer(agent::ReadWireRequest(request.body), body, key);
    NoteAnswer(witness, request, body, done);
    agent::StreamAnswer(reply, done.answer, 256);
  };
}

}  // namespace

int BenchmarkMain(int argc, char** argv) {
  CLI::App app("A language model that obeys everything that it reads (see bench/planted)");
  std::string log;
  std::string words_file;
  app.add_option("--log", log, "Where to note what came")->required();
  app.add_option("--words", words_file, "A JSON list of what it says of itself: kernels, or names");
  CLI11_PARSE(app, argc, argv);
  std::vector<std::string> words;
  if (!words_file.empty()) {
    words = ParseJson(ReadFile(words_file).value(), words_file).value();
  }
  Witness witness(log);
  ObedientModel model(std::move(words));
  const ScriptedServer endpoint(ObedientEndpoint(model, witness));
  const ScriptedServer canary([&](const ScriptedRequest& request, ScriptedReply& reply) {
    witness.Note({{"event", "canary"}, {"target", request.target}});
    reply.SendWhole(200, "text/plain", "you should not be here");
  });
  std::cout << Dump({{"url", endpoint.url()}, {"canary", canary.url()}}) << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
  }
  return 0;
}

}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/chat/chat_model_contract.h"
#include "hone/agent/chat/chat_settings.h"
#include "hone/agent/chat/logged_model.h"
#include "hone/agent/chat/recorded_model.h"
#include "hone/agent/chat/scripted_endpoint_for_test.h"
#include "hone/base/temp_dir.h"

namespace hone::agent {
namespace {

// With the server that it asks.
class ServedModel final : public ChatModel {
 public:
  explicit ServedModel(const HttpScript& script) : server_(script) {
    ChatSettings settings;
    settings.urls = {server_.url()};
    settings.key_variable = "";
    model_ = std::move(OpenChatModel(settings, SystemClock()).value());
  }

  Result<ChatAnswer> Ask(const ChatRequest& request, const ChatListener& listener) override {
    return model_->Ask(request, listener);
  }
  std::string name() const override { return model_->name(); }

 private:
  ScriptedServer server_;
  std::unique_ptr<ChatModel> model_;
};

// With the store that it answers from.
class StoredModel final : public ChatModel {
 public:
  StoredModel() {
    const auto store = folder_->path() / "hone.db";
    {
      auto budget = std::make_shared<ChatBudget>(ChatSpendingLimits{});
      RecordingModel recording(
          std::make_unique<ScriptedModel>(ExamScript), budget,
          std::move(ExchangeLog::Open(store, "toy-1", SystemClock()).value()),
          std::make_unique<RecordedModel>(std::vector<StoredExchange>(), "toy-1"));
      for (const ChatRequest& request : ExamRequests()) static_cast<void>(recording.Ask(request));
      // Asked twice in one question of the exam.
      static_cast<void>(recording.Ask(ExamRequests()[0]));
    }
    model_ = std::move(RecordedModel::Open(store, "toy-1", SystemClock()).value());
  }

  Result<ChatAnswer> Ask(const ChatRequest& request, const ChatListener& listener) override {
    return model_->Ask(request, listener);
  }
  std::string name() const override { return model_->name(); }

 private:
  Result<TempDir> folder_ = TempDir::Make("recorded");
  std::unique_ptr<ChatModel> model_;
};

// With the log that it writes, in memory.
class LoggingModel final : public ChatModel {
 public:
  Result<ChatAnswer> Ask(const ChatRequest& request, const ChatListener& listener) override {
    return logged_.Ask(request, listener);
  }
  std::string name() const override { return logged_.name(); }

 private:
  ScriptedModel model_{ExamScript};
  AgentLog log_;
  LoggedModel logged_{model_, log_};
};

// What a server sends that does not stream.
HttpScript WholeAnswers() {
  return [](const ScriptedRequest& request, ScriptedReply& reply) {
    if (request.target == "/v1/models") return GoodEndpoint(ExamScript)(request, reply);
    const auto answer = ExamScript(ReadWireRequest(request.body));
    if (!answer) return RefuseAsked(reply, 422, answer.error().message);
    reply.SendWhole(200, "application/json", AnswerBody(*answer));
  };
}

INSTANTIATE_TEST_SUITE_P(
    All, ChatModelContract,
    testing::Values(
        ChatModelExam{"Scripted", [] { return std::make_unique<ScriptedModel>(ExamScript); }},
        ChatModelExam{"Endpoint",
                      [] { return std::make_unique<ServedModel>(GoodEndpoint(ExamScript)); }},
        ChatModelExam{"EndpointThatDoesNotStream",
                      [] { return std::make_unique<ServedModel>(WholeAnswers()); }},
        ChatModelExam{"Logged", [] { return std::make_unique<LoggingModel>(); }},
        ChatModelExam{"Recorded", [] { return std::make_unique<StoredModel>(); }}),
    NameOfChatExam);

}  // namespace
}  // namespace hone::agent

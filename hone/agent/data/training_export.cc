// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/data/training_export.h"

#include <fmt/format.h>

#include <array>

#include "hone/agent/data/training_prompt.h"

namespace hone::agent {
namespace {

constexpr std::array<std::string_view, 2> kTrainers = {"trl", "verl"};

// Roles and contents alone: nothing else of a file goes into a training set.
Result<Json> PlainMessages(const Json& episode, const std::string& what) {
  JsonReader reader(episode, what);
  Json messages = Json::array();
  for (JsonReader& message : reader.At("messages").Items()) {
    messages.push_back(
        {{"role", message.At("role").String()}, {"content", message.At("content").String()}});
  }
  if (auto finished = reader.Finish(); !finished) return finished.error();
  if (messages.size() < 2 || messages.back()["role"] != "assistant") {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: its last message is not an assistant's", what)};
  }
  return messages;
}

}  // namespace

std::string_view NameOf(Trainer trainer) { return kTrainers.at(static_cast<std::size_t>(trainer)); }

Result<Trainer> TrainerNamed(std::string_view name) {
  if (name == kTrainers[0]) return Trainer::kTrl;
  if (name == kTrainers[1]) return Trainer::kVerl;
  return Error{Errc::kInvalidArgument, fmt::format("\"{:.40}\": expected trl or verl", name)};
}

Result<Json> ExportQuestion(const QuestionRow& row, Trainer trainer, std::size_t index) {
  if (!row.label) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: without a label it cannot be rewarded", row.id)};
  }
  const Json prompt = ToChatJson(PromptOf(row));
  const Json question = ToJson(row.question);
  const Json label = ToJson(*row.label);
  if (trainer == Trainer::kTrl) {
    return Json{{"prompt", prompt},
                {"question", Dump(question)},
                {"label", Dump(label)},
                {"id", row.id},
                {"goal", row.goal},
                {"split", row.split},
                {"kind", NameOf(row.question.kind)}};
  }
  return Json{
      {"data_source", "hone-kconfig"},
      {"prompt", prompt},
      {"ability", "kconfig"},
      {"reward_model",
       {{"style", "rule"}, {"ground_truth", Dump({{"question", question}, {"label", label}})}}},
      {"extra_info",
       {{"index", index},
        {"id", row.id},
        {"split", row.split},
        {"goal", row.goal},
        {"tree", row.tree},
        {"kind", NameOf(row.question.kind)}}}};
}

Result<Json> ExportEpisode(const Json& episode, Trainer trainer, std::size_t index) {
  const std::string what = fmt::format("episode {}", index);
  auto messages = PlainMessages(episode, what);
  if (!messages) return messages.error();
  const Json reward = episode.value("reward", Json());
  const Json id = episode.value("id", Json());
  if (trainer == Trainer::kVerl) {
    return Json{{"messages", *messages},
                {"data_source", "hone-episodes"},
                {"extra_info", {{"index", index}, {"id", id}, {"reward", reward}}}};
  }
  const Json completion = Json::array({messages->back()});
  messages->erase(messages->size() - 1);
  return Json{{"prompt", *messages}, {"completion", completion}, {"reward", reward}, {"id", id}};
}

Result<ExportedSet> ExportLines(std::string_view text, const std::string& what, Trainer trainer) {
  const auto documents = ParseJsonLines(text, what);
  if (!documents) return documents.error();
  ExportedSet exported;
  for (const Json& document : *documents) {
    const std::size_t index = exported.rows.size();
    if (document.is_object() && document.contains("messages")) {
      auto row = ExportEpisode(document, trainer, index);
      if (!row) return Error{row.error().code, fmt::format("{}: {}", what, row.error().message)};
      exported.rows.push_back(std::move(*row));
      continue;
    }
    const auto row = ParseQuestionRow(Dump(document), what);
    if (!row) return row.error();
    if (!row->label) {
      ++exported.left_out;
      continue;
    }
    auto made = ExportQuestion(*row, trainer, index);
    if (!made) return made.error();
    exported.rows.push_back(std::move(*made));
  }
  return exported;
}

}  // namespace hone::agent

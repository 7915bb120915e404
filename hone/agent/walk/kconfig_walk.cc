// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/walk/kconfig_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "hone/agent/questions/answer.h"
#include "hone/agent/questions/question_json.h"
#include "hone/agent/walk/walk_agenda.h"
#include "hone/agent/walk/walk_prompt.h"
#include "hone/agent/walk/walk_report.h"
#include "hone/base/sha256.h"
#include "hone/kconfig/files/config_file.h"
#include "hone/kconfig/reason/walk.h"

namespace hone::agent {
namespace {

using kconfig::MenuId;

constexpr int kLogVersion = 1;

// Of one answer: what it says, and what became of it.
struct Judged {
  Answer answer;
  std::vector<RequestVerdict> verdicts = {};
  std::vector<std::string> opened = {};
};

std::string WithoutQuotes(const std::string& text) {
  const bool is_quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

class Walk {
 public:
  Walk(const WalkGround& ground, const WalkSettings& settings, ChatModel* model,
       const std::vector<Tool>& tools, AgentLog& log)
      : ground_(ground),
        settings_(settings),
        log_(log),
        has_tools_(!tools.empty()),
        talk_(model, tools, log, settings.talk, settings.stop),
        editor_(ground.index, ground.start, ground.protection),
        agenda_(ground.index, settings.max_items, settings.opens_all) {}

  Result<WalkResult> Run() {
    if (auto begun = Begin(); !begun) return begun.error();
    if (settings_.on_change) settings_.on_change(editor_.configuration());
    for (bool has_asked = true; has_asked && !has_ended_;) {
      const std::int64_t before = counts_.questions;
      if (auto walked = WalkOnce(); !walked) return walked.error();
      has_asked = counts_.questions > before;
    }
    return Finish();
  }

 private:
  // The same walk has the same first line, or the log is of another one.
  Result<void> Begin() {
    const kconfig::Tree& tree = ground_.index->tree();
    const Json head = {{"kind", "walk"},
                       {"version", kLogVersion},
                       {"goal", settings_.goal},
                       {"tree", std::string(tree.title())},
                       {"symbols", tree.symbols().size()},
                       {"start", Sha256Of(kconfig::WriteConfig(ground_.start))},
                       {"opens_all", settings_.opens_all},
                       {"max_items", settings_.max_items},
                       {"max_tries", settings_.max_tries},
                       {"max_tool_calls", settings_.talk.tool_calls}};
    const auto recorded = log_.Next("walk");
    if (!recorded) return recorded.error();
    if (!*recorded) return log_.is_read_only() ? Result<void>() : log_.Append("walk", head);
    const auto shown = ParseJson(Dump(head), "walk");  // As it was written.
    for (const auto& [key, value] : shown->items()) {
      const auto found = (*recorded)->find(key);
      if (found != (*recorded)->end() && *found == value) continue;
      return Error{Errc::kInvalidArgument,
                   fmt::format("{}: is of a walk with another {} ({:.100}, here {:.100}); give the "
                               "same, or another --log",
                               log_.Where(), key,
                               found == (*recorded)->end() ? "none" : Dump(*found), Dump(value))};
    }
    return {};
  }

  // Once through everything that is opened, depth first.
  Result<void> WalkOnce() {
    std::vector<MenuId> stack = {0};
    while (!stack.empty() && !has_ended_) {
      const MenuId menu = stack.back();
      stack.pop_back();
      for (;;) {
        const auto question = agenda_.NextIn(editor_.configuration(), menu);
        if (!question) break;
        if (auto asked = AskQuestion(menu, *question); !asked) return asked.error();
        if (has_ended_) return {};
      }
      const std::vector<MenuId> below = agenda_.Below(editor_.configuration(), menu);
      stack.insert(stack.end(), below.rbegin(), below.rend());
    }
    return {};
  }

  void End(WalkEnd end, std::string reason) {
    has_ended_ = true;
    end_ = end;
    end_reason_ = std::move(reason);
  }

  Result<void> AskQuestion(MenuId menu, const KconfigQuestion& question) {
    if (counts_.questions == settings_.max_questions) {
      End(WalkEnd::kQuestions,
          fmt::format("{} questions were asked, as many as allowed", settings_.max_questions));
      return {};
    }
    ++counts_.questions;
    ++counts_.by_kind.at(static_cast<std::size_t>(question.question.kind));
    const QuestionPlace place{settings_.goal, kconfig::MenuPathOf(ground_.index->tree(), menu),
                              honoured_};
    Conversation conversation;
    conversation.messages = {
        {.role = ChatRole::kSystem, .text = WalkRules(has_tools_)},
        {.role = ChatRole::kUser, .text = QuestionText(editor_.configuration(), question, place)}};
    bool is_readable = false;
    for (int attempt = 1; attempt <= settings_.max_tries; ++attempt) {
      conversation.about = {{"question", counts_.questions}, {"try", attempt}};
      if (attempt == 1) conversation.about["asked"] = ToJson(question.question);
      auto answer = talk_.Ask(conversation);
      if (!answer) return answer.error();
      if (!*answer) {
        End(talk_.end(), talk_.end_reason());
        return {};
      }
      if (attempt == 1) agenda_.MarkAsked(question);
      const Judged judged = Apply(question, **answer);
      if (auto kept = Record(judged, attempt); !kept) return kept.error();
      is_readable |= judged.answer.is_well_formed;
      const std::string feedback = FeedbackText(judged.answer, judged.verdicts);
      if (feedback.empty()) break;
      conversation.messages.push_back({.role = ChatRole::kUser, .text = feedback});
    }
    Tell(place, question);
    NoteReadable(is_readable);
    return {};
  }

  void NoteReadable(bool is_readable) {
    if (!is_readable) ++counts_.unreadable;
    unreadable_in_a_row_ = is_readable ? 0 : unreadable_in_a_row_ + 1;
    if (unreadable_in_a_row_ < settings_.max_unreadable) return;
    End(WalkEnd::kUnreadable,
        fmt::format("{} questions in a row had no answer that can be read: another model, or "
                    "more tokens for an answer, may help; begin with another log",
                    unreadable_in_a_row_));
  }

  Judged Apply(const KconfigQuestion& question, const TalkAnswer& said) {
    Judged judged;
    if (!said.was_cut) judged.answer = ParseAnswer(question.question, said.text);
    counts_.faults += static_cast<std::int64_t>(judged.answer.faults.size());
    if (question.question.kind == QuestionKind::kMenu) {
      OpenMenus(question, judged);
      return judged;
    }
    std::vector<OptionRequest> requests;
    for (const Decision& decision : judged.answer.decisions) {
      const bool is_text = question.question.kind == QuestionKind::kValue;
      requests.push_back({decision.key, is_text ? WithoutQuotes(decision.value) : decision.value});
    }
    judged.verdicts = editor_.Apply(requests);
    for (const RequestVerdict& verdict : judged.verdicts) Keep(verdict);
    const bool has_changed = std::any_of(
        judged.verdicts.begin(), judged.verdicts.end(),
        [](const RequestVerdict& one) { return one.outcome == RequestOutcome::kHonoured; });
    if (has_changed && settings_.on_change) settings_.on_change(editor_.configuration());
    return judged;
  }

  void OpenMenus(const KconfigQuestion& question, Judged& judged) {
    for (const Decision& decision : judged.answer.decisions) {
      const auto& items = question.question.items;
      const auto item = std::find_if(items.begin(), items.end(), [&](const QuestionItem& one) {
        return one.key == decision.key;
      });
      if (item == items.end()) continue;
      agenda_.Open(question.nodes[static_cast<std::size_t>(item - items.begin())]);
      judged.opened.push_back(decision.key);
    }
  }

  void Keep(const RequestVerdict& verdict) {
    verdicts_.push_back({counts_.questions, verdict});
    if (verdict.outcome != RequestOutcome::kHonoured) return;
    std::erase_if(honoured_,
                  [&](const OptionRequest& one) { return one.option == verdict.request.option; });
    honoured_.push_back(verdict.request);
  }

  // What became of an answer stands in the log; over a recorded one it must become the same.
  Result<void> Record(const Judged& judged, int attempt) {
    Json record = {{"question", counts_.questions},
                   {"try", attempt},
                   {"is_readable", judged.answer.is_well_formed},
                   {"opened", judged.opened},
                   {"faults", Json::array()},
                   {"verdicts", Json::array()}};
    for (const AnswerFault& fault : judged.answer.faults) {
      record["faults"].push_back({{"line", fault.line.substr(0, 200)}, {"what", fault.what}});
    }
    for (const RequestVerdict& verdict : judged.verdicts) {
      record["verdicts"].push_back(ToJson(verdict));
    }
    const auto recorded = log_.Next("verdicts");
    if (!recorded) return recorded.error();
    if (!*recorded) {
      return log_.is_read_only() ? Result<void>() : log_.Append("verdicts", std::move(record));
    }
    if (OutcomesIn(**recorded) == OutcomesIn(record)) return {};
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: the same answer has other consequences now: the tree or this "
                             "program has changed since; give another --log",
                             log_.Where())};
  }

  static std::vector<std::string> OutcomesIn(const Json& record) {
    std::vector<std::string> outcomes;
    const auto verdicts = record.find("verdicts");
    if (verdicts == record.end() || !verdicts->is_array()) return outcomes;
    for (const Json& verdict : *verdicts) {
      const auto outcome = verdict.is_object() ? verdict.find("outcome") : verdict.end();
      const bool is_text = outcome != verdict.end() && outcome->is_string();
      outcomes.push_back(is_text ? outcome->get<std::string>() : "");
    }
    return outcomes;
  }

  void Tell(const QuestionPlace& place, const KconfigQuestion& question) const {
    if (!settings_.progress) return;
    const auto refused = std::count_if(verdicts_.begin(), verdicts_.end(), [](const auto& one) {
      return one.verdict.outcome == RequestOutcome::kRefused;
    });
    settings_.progress(fmt::format(
        "{}: {}, {} of {}: {} changed, {} refused so far, {} tokens", counts_.questions,
        Quoted(place.path.empty() ? "" : place.path.back(), 60), question.question.items.size(),
        NameOf(question.question.kind), honoured_.size(), refused, talk_.counts().tokens));
  }

  Result<WalkResult> Finish() {
    WalkResult result{.end = end_,
                      .end_reason = end_reason_,
                      .configuration = editor_.configuration(),
                      .verdicts = std::move(verdicts_),
                      .asked = agenda_.asked(),
                      .counts = counts_};
    result.counts.menus_opened = static_cast<std::int64_t>(agenda_.opened_count());
    result.counts.talk = talk_.counts();
    if (log_.is_read_only()) return result;
    const Json remark = {{"end", NameOf(end_)}, {"why", end_reason_}};
    if (auto kept = log_.Append("end", remark); !kept) return kept.error();
    return result;
  }

  const WalkGround& ground_;
  const WalkSettings& settings_;
  AgentLog& log_;
  bool has_tools_;
  WalkTalk talk_;
  OptionEditor editor_;
  WalkAgenda agenda_;
  WalkCounts counts_;
  std::vector<WalkVerdict> verdicts_;
  std::vector<OptionRequest> honoured_;
  int unreadable_in_a_row_ = 0;
  bool has_ended_ = false;
  WalkEnd end_ = WalkEnd::kDone;
  std::string end_reason_;
};

}  // namespace

Result<WalkResult> WalkKconfig(const WalkGround& ground, const WalkSettings& settings,
                               ChatModel* model, const std::vector<Tool>& tools, AgentLog& log) {
  return Walk(ground, settings, model, tools, log).Run();
}

}  // namespace hone::agent

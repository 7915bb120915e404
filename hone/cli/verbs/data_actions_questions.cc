// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>
#include <memory>
#include <string>

#include "hone/agent/data/question_maker.h"
#include "hone/app/kconfig/known_option_facts.h"
#include "hone/app/stored/stored_run.h"
#include "hone/base/file.h"
#include "hone/cli/verbs/data_actions.h"
#include "hone/kconfig/reason/solve.h"

namespace hone::cli {
namespace {

Result<agent::OptionFacts> SolverFacts(const DataRequest& request,
                                       std::shared_ptr<const kconfig::TreeIndex> index,
                                       const kconfig::Configuration& start) {
  std::vector<kconfig::Wish> wishes;
  for (const std::string& text : request.needs) {
    const auto wish = kconfig::ParseWish(index->tree(), text);
    if (!wish) return wish.error();
    wishes.push_back(*wish);
  }
  return agent::FactsFromSolver(kconfig::Solver(std::move(index)), start, wishes);
}

// Of a stored campaign, or of the file that `hone export` made of one.
Result<agent::OptionFacts> MeasuredFacts(Shell& shell, const std::string& run) {
  if (run.ends_with(".json")) {
    const auto text = ReadFile(run, std::size_t{1} << 30);
    if (!text) return text.error();
    return agent::FactsFromExport(*text, run);
  }
  const auto history = app::LoadRun(shell.store, shell.clock, run);
  if (!history) return history.error();
  return agent::FactsFromCampaign(*history);
}

// All that the request names as sources of labels; what was measured speaks before what is known.
Result<agent::OptionFacts> FactsOf(Shell& shell, const DataRequest& request,
                                   std::shared_ptr<const kconfig::TreeIndex> index,
                                   const kconfig::Configuration& start) {
  agent::OptionFacts facts;
  if (!request.needs.empty()) {
    auto needed = SolverFacts(request, std::move(index), start);
    if (!needed) return needed.error();
    facts = std::move(*needed);
  }
  for (const std::string& run : request.effects) {
    const auto measured = MeasuredFacts(shell, run);
    if (!measured) return measured.error();
    if (measured->options.empty()) {
      return Error{Errc::kInvalidArgument,
                   fmt::format("--effects {}: the campaign measured no option by itself", run)};
    }
    facts = agent::Joined(std::move(facts), *measured);
  }
  if (!request.aim.empty()) {
    const auto known = app::KnownOptionFacts(request.aim);
    if (!known) return known.error();
    facts = agent::Joined(std::move(facts), *known);
  }
  return facts;
}

struct RowCounts {
  std::map<std::string, std::size_t> kinds;
  std::size_t labelled = 0;
};

RowCounts CountRows(const std::vector<agent::QuestionRow>& rows) {
  RowCounts counts;
  for (const agent::QuestionRow& row : rows) {
    ++counts.kinds[std::string(NameOf(row.question.kind))];
    if (row.label) ++counts.labelled;
  }
  return counts;
}

}  // namespace

Result<ExitCode> DataQuestions(Shell& shell, const DataRequest& request) {
  if (request.operands.size() != 1)
    return Error{Errc::kInvalidArgument, "questions: expected TREE"};
  if (request.goal.empty()) {
    return Error{Errc::kInvalidArgument, "--goal: missing: say in words what is to get better"};
  }
  KconfigRequest tree = request.tree;
  tree.tree = request.operands.front();
  auto opened = OpenKconfigTree(shell, tree);
  if (!opened) return opened.error();
  const auto start = StartConfiguration(shell, tree, *opened);
  if (!start) return start.error();
  const auto index = std::make_shared<const kconfig::TreeIndex>(opened->tree);
  const auto facts = FactsOf(shell, request, index, *start);
  if (!facts) return facts.error();
  const std::string name =
      fmt::format("{} {}", std::string(opened->tree->title()), opened->place.arch);
  const auto rows = agent::QuestionsOfTree(
      *index, *start, *facts, {request.goal, name, request.max_items, request.needs_label});
  const RowCounts counts = CountRows(rows);
  std::string sentence = fmt::format("{} questions, {} with a label", rows.size(), counts.labelled);
  for (const auto& [kind, count] : counts.kinds) sentence += fmt::format(", {} {}", count, kind);
  const Json summary = {
      {"questions", rows.size()}, {"labelled", counts.labelled}, {"kinds", counts.kinds}};
  if (auto written = WriteRows(shell, request.output, JsonOf(rows), summary, sentence + "\n");
      !written) {
    return written.error();
  }
  return rows.empty() ? ExitCode::kNo : ExitCode::kYes;
}

}  // namespace hone::cli

// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/text/problems_text.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <utility>

#include "hone/cli/text/help.h"
#include "hone/cli/text/readable.h"

namespace hone::cli {
namespace {

constexpr std::array kStates{app::ImportState::kNew, app::ImportState::kUpdated,
                             app::ImportState::kUnchanged, app::ImportState::kFailed};

struct ImportCounts {
  std::map<app::ImportState, std::size_t> states;
  std::vector<std::string> sound;
  std::vector<std::pair<std::string, std::string>> accepting;  // With what.
  std::map<std::string, std::vector<std::string>> not_screened;
};

ImportCounts CountsOf(const app::ImportReport& report) {
  ImportCounts counts;
  for (const app::ImportedProblem& problem : report.problems) {
    ++counts.states[problem.state];
    if (problem.state == app::ImportState::kFailed) continue;
    if (!problem.screening) {
      counts.not_screened["not tried yet"].push_back(problem.name);
    } else if (!problem.screening->not_screened.empty()) {
      counts.not_screened[problem.screening->not_screened].push_back(problem.name);
    } else if (problem.screening->is_sound()) {
      counts.sound.push_back(problem.name);
    } else {
      counts.accepting.emplace_back(problem.name, app::TextOf(*problem.screening));
    }
  }
  return counts;
}

std::string FailuresText(const app::ImportReport& report, const Ink& ink) {
  std::string text;
  for (const app::ImportedProblem& problem : report.problems) {
    if (problem.state != app::ImportState::kFailed) continue;
    text += fmt::format("  {} {}\n", ink.Bad("failed"), Printable(problem.error));
  }
  return text;
}

TableRows ScreeningRows(const ImportCounts& counts) {
  TableRows rows{{"sound", std::to_string(counts.sound.size())},
                 {"accept degenerate answers", std::to_string(counts.accepting.size())}};
  for (const auto& [reason, names] : counts.not_screened) {
    rows.push_back({"not screened: " + reason, std::to_string(names.size())});
  }
  return rows;
}

TableRows StateRows(const ImportCounts& counts) {
  TableRows rows;
  for (const app::ImportState state : kStates) {
    const auto found = counts.states.find(state);
    if (found == counts.states.end() && state != app::ImportState::kNew) continue;
    rows.push_back({std::string(app::NameOf(state)),
                    std::to_string(found == counts.states.end() ? 0 : found->second)});
  }
  return rows;
}

std::string AcceptingText(const ImportCounts& counts, const Ink& ink) {
  std::string text;
  for (const auto& [name, accepts] : counts.accepting) {
    text += fmt::format("  {} {}\n", ink.Warning(name), accepts);
  }
  return text;
}

std::string ScreeningCell(const std::optional<app::Screening>& screening) {
  return screening ? app::TextOf(*screening) : "-";
}

Json NamesOf(const std::vector<std::pair<std::string, std::string>>& pairs) {
  Json names = Json::array();
  for (const auto& [name, ignored] : pairs) names.push_back(name);
  return names;
}

Json ScreeningJson(const std::optional<app::Screening>& screening) {
  return screening ? app::RecordOf(*screening) : Json(nullptr);
}

}  // namespace

std::string ProblemsTable(const std::vector<ListedProblem>& problems, const Ink& ink) {
  TableRows rows{{"PROBLEM", "BACKEND", "SCREENED", "SUMMARY"}};
  for (const ListedProblem& problem : problems) {
    rows.push_back({problem.name, problem.backend, ScreeningCell(problem.screening),
                    FirstSentence(problem.summary)});
  }
  std::string text = Printable(TableText(rows, ""));
  const auto end = text.find('\n');
  return ink.Bold(text.substr(0, end)) + text.substr(end);
}

Json ListJson(const std::vector<ListedProblem>& problems) {
  Json list = Json::array();
  for (const ListedProblem& problem : problems) {
    list.push_back({{"name", problem.name},
                    {"backend", problem.backend},
                    {"summary", problem.summary},
                    {"traps", problem.traps},
                    {"folder", problem.folder.empty() ? Json(nullptr) : Json(problem.folder)},
                    {"screening", ScreeningJson(problem.screening)}});
  }
  return list;
}

std::string ImportSummary(const app::ImportReport& report, const Ink& ink) {
  const ImportCounts counts = CountsOf(report);
  TableRows rows = StateRows(counts);
  for (std::vector<std::string>& row : ScreeningRows(counts)) rows.push_back(std::move(row));
  std::string text =
      fmt::format("{} in {}{}\n", ink.Bold("Problems"), report.into.string(),
                  report.commit.empty() ? "" : ", of commit " + report.commit.substr(0, 12));
  text += TableText(rows) + AcceptingText(counts, ink) + FailuresText(report, ink);
  if (!report.no_screening.empty()) {
    text += fmt::format("  nothing was screened: {}\n", Printable(report.no_screening));
  }
  if (report.with_weights > 0) {
    text +=
        fmt::format("  level 4: its {} problems need the weights of models and are not imported\n",
                    report.with_weights);
  }
  if (report.is_stopped) text += "  stopped; the same command goes on from here\n";
  return text;
}

Json ImportJson(const app::ImportReport& report) {
  const ImportCounts counts = CountsOf(report);
  Json problems = Json::array();
  for (const app::ImportedProblem& problem : report.problems) {
    problems.push_back({{"name", problem.name},
                        {"state", app::NameOf(problem.state)},
                        {"error", problem.error},
                        {"screening", ScreeningJson(problem.screening)}});
  }
  Json summary = {{"sound", counts.sound.size()},
                  {"accept_degenerate_answers", NamesOf(counts.accepting)},
                  {"not_screened", Json::object()}};
  for (const app::ImportState state : kStates) {
    const auto found = counts.states.find(state);
    summary[std::string(app::NameOf(state))] = found == counts.states.end() ? 0 : found->second;
  }
  for (const auto& [reason, names] : counts.not_screened) {
    summary["not_screened"][reason] = names.size();
  }
  return {{"into", report.into.string()},
          {"commit", report.commit},
          {"level4_not_imported", report.with_weights},
          {"is_stopped", report.is_stopped},
          {"no_screening", report.no_screening},
          {"summary", summary},
          {"problems", problems}};
}

std::string StepLine(const app::ImportStep& step) {
  const app::ImportedProblem& problem = *step.problem;
  const std::string word = step.is_screening                            ? "is screened"
                           : problem.state == app::ImportState::kFailed ? Printable(problem.error)
                           : problem.screening ? app::TextOf(*problem.screening)
                                               : std::string(app::NameOf(problem.state));
  return fmt::format("[{}/{}] {}: {}", step.number, step.count, Printable(problem.name), word);
}

}  // namespace hone::cli

// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/verbs/kconfig_reason.h"

#include <fmt/format.h>

#include <optional>
#include <ostream>

#include "hone/app/kconfig/kconfig_answers.h"
#include "hone/base/json/json.h"
#include "hone/base/json/parse_values.h"
#include "hone/cli/verbs/run_flags.h"
#include "hone/kconfig/files/config_file.h"
#include "hone/kconfig/reason/reason_json.h"
#include "hone/kconfig/reason/reason_text.h"

namespace hone::cli {
namespace {

using kconfig::Configuration;
using kconfig::SymbolId;
using kconfig::Tree;
using kconfig::TreeIndex;

using app::Ground;

Result<Ground> Open(Shell& shell, const KconfigRequest& request) {
  const auto opened = OpenKconfigTree(shell, request);
  if (!opened) return opened.error();
  auto configuration = StartConfiguration(shell, request, *opened);
  if (!configuration) return configuration.error();
  return Ground{std::make_shared<const TreeIndex>(opened->tree), std::move(*configuration)};
}

Result<std::vector<kconfig::Wish>> WishesOf(const Tree& tree, const KconfigRequest& request) {
  if (request.operands.empty()) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: give NAME=VALUE, one or more", request.action)};
  }
  std::vector<kconfig::Wish> wishes;
  for (const std::string& text : request.operands) {
    auto wish = kconfig::ParseWish(tree, text);
    if (!wish) return wish.error();
    wishes.push_back(std::move(*wish));
  }
  return wishes;
}

Result<ExitCode> ExplainAll(Shell& shell, const KconfigRequest& request, const Ground& ground) {
  Json all = Json::array();
  bool is_possible = true;
  for (const std::string& operand : request.operands) {
    if (operand.find('=') == std::string::npos) {
      const auto id = FindSymbol(ground.tree(), operand);
      if (!id) return id.error();
      if (shell.wants_json)
        all.push_back(app::ExplainJson(ground, *id));
      else
        shell.console.out << app::ExplainText(ground, *id);
      continue;
    }
    const auto wish = kconfig::ParseWish(ground.tree(), operand);
    if (!wish) return wish.error();
    const auto answer = WhyNot(*ground.index, ground.configuration, wish->symbol, wish->value);
    is_possible = is_possible && answer.is_possible;
    if (shell.wants_json)
      all.push_back(ToJson(ground.tree(), answer));
    else
      shell.console.out << ToText(ground.tree(), answer);
  }
  if (shell.wants_json) shell.console.out << Dump(all) << "\n";
  return is_possible ? ExitCode::kYes : ExitCode::kNo;
}

Result<void> WriteSolution(Shell& shell, const KconfigRequest& request, Configuration configuration,
                           const kconfig::Solution& solution) {
  for (const kconfig::Change& setting : solution.settings) {
    if (auto set = configuration.Set(setting.symbol, setting.after); !set) return set.error();
  }
  return WriteAnswer(shell, request.output, WriteConfig(configuration));
}

Result<kconfig::MenuId> MenuOf(const Ground& ground, const KconfigRequest& request) {
  if (request.operands.empty()) return kconfig::MenuId{0};
  const std::string& operand = request.operands.front();
  const auto count = static_cast<std::int64_t>(ground.tree().menus().size());
  if (const auto number = ParseCount("MENU", operand, 0, count - 1)) {
    return static_cast<kconfig::MenuId>(*number);
  }
  const auto titled = kconfig::MenusTitled(ground.tree(), operand);
  if (titled) return titled->front();
  if (operand.find(' ') != std::string::npos) return titled.error();  // No name of a symbol.
  const auto id = FindSymbol(ground.tree(), operand);
  if (!id) return id.error();
  return ground.tree().symbol(*id).first_menu;
}

}  // namespace

Result<ExitCode> KconfigExplain(Shell& shell, const KconfigRequest& request) {
  if (request.operands.empty()) {
    return Error{Errc::kInvalidArgument, "explain: give NAME, or NAME=VALUE, one or more"};
  }
  const auto ground = Open(shell, request);
  if (!ground) return ground.error();
  return ExplainAll(shell, request, *ground);
}

Result<ExitCode> KconfigSolve(Shell& shell, const KconfigRequest& request) {
  const auto ground = Open(shell, request);
  if (!ground) return ground.error();
  auto wishes = WishesOf(ground->tree(), request);
  if (!wishes) return wishes.error();
  kconfig::SolveRequest wanted;
  wanted.wishes = std::move(*wishes);
  wanted.alternatives = static_cast<std::size_t>(request.alternatives);
  for (const std::string& name : request.kept) {
    const auto id = FindSymbol(ground->tree(), name);
    if (!id) return id.error();
    wanted.kept.push_back(*id);
  }
  const kconfig::Solver solver(ground->index);
  const auto answer = solver.Solve(ground->configuration, wanted);
  if (!answer) return answer.error();
  const auto move = app::FamilyMoveOf(*ground, solver, wanted, *answer);
  if (!move) return move.error();
  const bool is_text_elsewhere = request.output == "-";
  if (!is_text_elsewhere) {
    shell.console.out << (shell.wants_json ? Dump(app::SolveJson(*ground, *answer, *move)) + "\n"
                                           : app::SolveText(*ground, *answer, *move));
  }
  if (answer->solutions.empty()) return ExitCode::kNo;
  if (request.output.empty()) return ExitCode::kYes;
  auto written = WriteSolution(shell, request, ground->configuration, answer->solutions.front());
  if (!written) return written.error();
  return ExitCode::kYes;
}

Result<ExitCode> KconfigSearch(Shell& shell, const KconfigRequest& request) {
  if (request.operands.empty()) {
    return Error{Errc::kInvalidArgument, "search: give a name or words"};
  }
  const auto ground = Open(shell, request);
  if (!ground) return ground.error();
  auto options = kconfig::OptionIndex::Make(ground->index);
  if (!options) return options.error();
  const auto hits =
      options->Search(ground->configuration, fmt::format("{}", fmt::join(request.operands, " ")),
                      static_cast<std::size_t>(request.limit));
  if (!hits) return hits.error();
  Json all = Json::array();
  for (const kconfig::SearchHit& hit : *hits) {
    if (shell.wants_json)
      all.push_back(ToJson(ground->tree(), hit));
    else
      shell.console.out << ToText(ground->tree(), hit, hits->size() == 1);
  }
  if (shell.wants_json) shell.console.out << Dump(all) << "\n";
  if (hits->empty() && !shell.is_quiet) {
    shell.console.err << fmt::format("search: no symbol has \"{}\" in its name, prompt or help\n",
                                     fmt::join(request.operands, " "));
  }
  return hits->empty() ? ExitCode::kNo : ExitCode::kYes;
}

Result<ExitCode> KconfigWalk(Shell& shell, const KconfigRequest& request) {
  const auto ground = Open(shell, request);
  if (!ground) return ground.error();
  const auto menu = MenuOf(*ground, request);
  if (!menu) return menu.error();
  const kconfig::MenuPage page = WalkMenu(*ground->index, ground->configuration, *menu);
  shell.console.out << (shell.wants_json ? Dump(ToJson(ground->tree(), page)) + "\n"
                                         : ToText(ground->tree(), page));
  return ExitCode::kYes;
}

Result<ExitCode> KconfigGroups(Shell& shell, const KconfigRequest& request) {
  const auto ground = Open(shell, request);
  if (!ground) return ground.error();
  const auto menu = MenuOf(*ground, request);
  if (!menu) return menu.error();
  const kconfig::MenuPage page = WalkMenu(*ground->index, ground->configuration, *menu);
  const auto groups = GroupsOf(page, static_cast<std::size_t>(request.limit));
  shell.console.out << Dump(ToJson(ground->tree(), groups)) << "\n";
  return ExitCode::kYes;
}

Result<ExitCode> KconfigJudge(Shell& shell, const KconfigRequest& request) {
  const auto ground = Open(shell, request);
  if (!ground) return ground.error();
  std::vector<kconfig::Action> actions;
  for (const std::string& operand : request.operands) {
    const std::size_t equals = operand.find('=');
    if (equals == std::string::npos) {
      return Error{Errc::kInvalidArgument, fmt::format("{}: expected NAME=VALUE", operand)};
    }
    actions.push_back({operand.substr(0, equals), operand.substr(equals + 1)});
  }
  const kconfig::ActionsAnswer answer = Judge(*ground->index, ground->configuration, actions);
  shell.console.out << (shell.wants_json ? Dump(ToJson(ground->tree(), answer)) + "\n"
                                         : ToText(ground->tree(), answer));
  if (answer.is_accepted && !request.output.empty()) {
    auto written = WriteAnswer(shell, request.output, WriteConfig(*answer.after));
    if (!written) return written.error();
  }
  return answer.is_accepted ? ExitCode::kYes : ExitCode::kNo;
}

}  // namespace hone::cli

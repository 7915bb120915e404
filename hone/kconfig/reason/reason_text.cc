// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/reason/reason_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "hone/kconfig/files/config_file.h"

namespace hone::kconfig {
namespace {

std::string ShowRest(std::size_t count, std::size_t shown) {
  return count > shown ? fmt::format("  and {} more\n", count - shown) : std::string();
}

std::string ShowBlocker(const Tree& tree, const Blocker& blocker) {
  std::string text =
      fmt::format("  {} {} ({})\n", blocker.source, blocker.clause, tree.Show(blocker.where));
  std::vector<std::string> needs;
  for (const Need& need : blocker.needs) {
    needs.push_back(
        fmt::format("{} is {}, needs {}", DisplayName(tree, need.symbol), need.now, need.needed));
  }
  if (!needs.empty()) {
    text += fmt::format("    {}{}\n", blocker.is_any && needs.size() > 1 ? "one of: " : "",
                        fmt::join(needs, "; "));
  }
  return text;
}

// The lines of the symbol in the .config before and after.
std::string ShowDifference(const Configuration& before, const Configuration& after, SymbolId id,
                           char mark) {
  std::string text;
  if (before.is_written(id)) text += fmt::format("{} -{}", mark, ConfigLine(before, id, false));
  if (after.is_written(id)) text += fmt::format("{} +{}", mark, ConfigLine(after, id, false));
  return text;
}

std::string ShowSolution(const Configuration& start, const Solution& solution) {
  if (solution.settings.empty()) return "it is so already; nothing to change\n";
  Configuration after = start;
  for (const Change& setting : solution.settings) {
    static_cast<void>(after.Set(setting.symbol, setting.after));
  }
  std::string text = fmt::format("set {} (*), {} in all change:\n", solution.settings.size(),
                                 solution.effects.size());
  for (const Change& effect : solution.effects) {
    const bool is_set =
        std::any_of(solution.settings.begin(), solution.settings.end(),
                    [&](const Change& setting) { return setting.symbol == effect.symbol; });
    text += ShowDifference(start, after, effect.symbol, is_set ? '*' : ' ');
  }
  return text;
}

std::string ShowCommands(const Tree& tree, const std::vector<CommandResult>& commands) {
  constexpr std::size_t kMaxShown = 6;
  if (commands.empty()) return {};
  std::string text = "Some of it is so on this machine alone, where these commands gave:\n";
  for (std::size_t i = 0; i < std::min(commands.size(), kMaxShown); ++i) {
    const CommandResult& command = commands[i];
    text += fmt::format("  {} from {} ({})\n",
                        command.result.empty() ? "nothing" : "\"" + command.result + "\"",
                        command.command, tree.Show(command.where));
  }
  return text + ShowRest(commands.size(), kMaxShown);
}

std::string ShowQuestion(const Tree& tree, const Question& question) {
  const std::string name = question.symbol == kNone
                               ? std::string()
                               : fmt::format(" ({})", DisplayName(tree, question.symbol));
  if (question.kind == QuestionKind::kMenu) {
    return fmt::format("Menu    {}{}  --> {} inside, menu {}\n", question.prompt, name,
                       question.inside, question.menu);
  }
  std::string text = fmt::format("{:<8}{}{} = {}", NameOf(question.kind), question.prompt, name,
                                 question.value.empty() ? "\"\"" : question.value);
  if (!question.assignable.empty())
    text += fmt::format("  [{}]", fmt::join(question.assignable, " "));
  if (!question.lowest.empty()) text += fmt::format("  {}..{}", question.lowest, question.highest);
  if (!question.selected_by.empty()) {
    const std::size_t shown = std::min<std::size_t>(question.selected_by.size(), 4);
    text += fmt::format(
        "  selected by {}{}",
        fmt::join(question.selected_by.begin(),
                  question.selected_by.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
        question.selected_by.size() > shown ? ", …" : "");
  }
  return text + "\n";
}

}  // namespace

std::string ToText(const Tree& tree, const std::vector<RuleLine>& lines, std::size_t max) {
  std::string text;
  for (std::size_t i = 0; i < std::min(lines.size(), max); ++i) {
    const RuleLine& line = lines[i];
    text += fmt::format("  {} {}: {} ({})\n",
                        line.level == Tristate::kNo ? '-' : TextOf(line.level).front(),
                        DisplayName(tree, line.symbol), line.text, tree.Show(line.where));
  }
  return text + ShowRest(lines.size(), max);
}

std::string ToText(const Tree& tree, const ValueReason& reason) {
  return reason.sentence + "\n" + ToText(tree, reason.lines, 12);
}

std::string ToText(const Tree& tree, const Possibility& possibility) {
  std::string text = possibility.sentence + "\n";
  for (const Blocker& blocker : possibility.blockers) text += ShowBlocker(tree, blocker);
  return text;
}

std::string ToText(const Tree& tree, const std::vector<Dependent>& dependents, std::size_t max) {
  std::string text;
  for (std::size_t i = 0; i < std::min(dependents.size(), max); ++i) {
    text += fmt::format("  {} ({})\n", DisplayName(tree, dependents[i].symbol),
                        fmt::join(dependents[i].ways, ", "));
  }
  return text + ShowRest(dependents.size(), max);
}

std::string ToText(const Tree& tree, const SearchHit& hit, bool wants_help) {
  std::string text =
      fmt::format("{} ({}) = {}", DisplayName(tree, hit.symbol),
                  NameOf(tree.symbol(hit.symbol).type), hit.value.empty() ? "\"\"" : hit.value);
  if (!hit.lowest.empty()) text += fmt::format("  range {}..{}", hit.lowest, hit.highest);
  if (!hit.default_value.empty()) text += fmt::format("  default {}", hit.default_value);
  text += "\n";
  if (!hit.prompt.empty()) text += fmt::format("  {}\n", hit.prompt);
  text += fmt::format("  {} ({})\n", fmt::join(hit.menu_path, " > "), tree.Show(hit.where));
  if (!hit.depends_on.empty()) text += fmt::format("  depends on {}\n", hit.depends_on);
  if (wants_help && !hit.help.empty()) text += hit.help + (hit.help.ends_with('\n') ? "" : "\n");
  return text;
}

std::string ToText(const Tree& tree, const MenuPage& page) {
  std::string text = fmt::format("{}\n", fmt::join(page.path, " > "));
  for (const Question& question : page.questions) text += ShowQuestion(tree, question);
  return text;
}

std::string ToText(const Tree& tree, const ActionsAnswer& answer) {
  std::string text = answer.is_accepted ? "accepted\n" : "rejected\n";
  for (const ActionVerdict& verdict : answer.verdicts) {
    if (verdict.refusal == Refusal::kNothing) continue;
    text += fmt::format("{}: {}\n", NameOf(verdict.refusal), verdict.message);
    for (const Blocker& blocker : verdict.blockers) text += ShowBlocker(tree, blocker);
  }
  for (const Change& effect : answer.effects) {
    text += fmt::format("  {} {} -> {}\n", DisplayName(tree, effect.symbol),
                        effect.before.empty() ? "\"\"" : effect.before,
                        effect.after.empty() ? "\"\"" : effect.after);
  }
  return text;
}

std::string ToText(const Configuration& start, const SolveAnswer& answer) {
  std::string text;
  if (answer.solutions.empty()) {
    text = "There is no way. These cannot all be true:\n";
    for (const Clause& clause : answer.conflict) text += fmt::format("  {}\n", clause.text);
    return text + ShowCommands(start.tree(), answer.commands);
  }
  for (std::size_t i = 0; i < answer.solutions.size(); ++i) {
    if (answer.solutions.size() > 1) text += fmt::format("answer {}: ", i + 1);
    text += ShowSolution(start, answer.solutions[i]);
  }
  return text;
}

}  // namespace hone::kconfig

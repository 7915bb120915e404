// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>
#include <set>

#include "hone/app/parameter_text.h"
#include "hone/cli/text/readable.h"
#include "hone/cli/verbs/sysctl_actions.h"
#include "hone/core/nearest.h"
#include "hone/domains/sysctl/kernel/control_groups.h"
#include "hone/domains/sysctl/knowledge/knowledge.h"
#include "hone/tune/campaign/words.h"

namespace hone::cli {
namespace {

using app::ParameterHere;
using sysctl::Knowledge;
using sysctl::MachineSizes;
using sysctl::ParameterFacts;
using sysctl::Risk;

constexpr std::size_t kMaxRange = 20;
constexpr std::size_t kMaxValue = 12;
constexpr std::size_t kMaxName = 25;

std::vector<std::string> AllWords(const Knowledge& knowledge) {
  std::set<std::string> words;
  for (const ParameterFacts& facts : knowledge.all()) {
    words.insert(facts.matters_for.begin(), facts.matters_for.end());
  }
  return {words.begin(), words.end()};
}

std::vector<std::string> AllRisks() {
  std::vector<std::string> names;
  for (const Risk risk : {Risk::kSafe, Risk::kCapacity, Risk::kSticky, Risk::kDisruptive,
                          Risk::kLinkReset, Risk::kReservation, Risk::kDenied}) {
    names.emplace_back(NameOf(risk));
  }
  return names;
}

bool Has(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

Result<void> CheckFilters(const Knowledge& knowledge, const SysctlRequest& request) {
  if (const auto words = AllWords(knowledge); request.word && !Has(words, *request.word)) {
    return Error{Errc::kInvalidArgument, "--for: " + NoSuch("word", *request.word, words)};
  }
  if (request.risk && !Has(AllRisks(), *request.risk)) {
    return Error{Errc::kInvalidArgument, "--risk: " + NoSuch("risk", *request.risk, AllRisks())};
  }
  return {};
}

bool IsWanted(const ParameterFacts& facts, const SysctlRequest& request) {
  if (request.word && !Has(facts.matters_for, *request.word)) return false;
  return !request.risk || NameOf(facts.risk) == *request.risk;
}

// "vm." of vm.swappiness, the folder of a path: what a group of rows has in common.
std::string GroupOf(const std::string& name) {
  return name.substr(0, name.find_last_of(name.starts_with('/') ? '/' : '.') + 1);
}

// Units that need no room, or that a number cannot be read without; a page of `show` has them all.
bool IsShortUnit(const std::string& unit) {
  static const std::set<std::string> units{"%", "s", "ms", "µs", "ns", "bytes", "KiB"};
  return units.contains(unit);
}

ParameterFacts WithShortUnit(ParameterFacts facts) {
  if (!IsShortUnit(facts.unit)) facts.unit.clear();
  return facts;
}

std::string ValuesText(const ParameterHere& parameter) {
  const ParameterFacts facts = WithShortUnit(*parameter.facts);
  std::vector<std::string> values;
  for (const auto& at : parameter.at) {
    std::string value = app::ValueText(facts, at.text);
    if (!Has(values, value)) values.push_back(std::move(value));
  }
  return values.empty() ? "-" : fmt::format("{}", fmt::join(values, " / "));
}

std::string RangeText(const ParameterFacts& facts, const MachineSizes& sizes) {
  const auto& shares = facts.high_ram_shares;  // Resolving one needs the unit.
  const bool is_memory =
      std::any_of(shares.begin(), shares.end(), [](double share) { return share > 0; });
  return app::SearchText(is_memory ? facts : WithShortUnit(facts), sizes);
}

using Row = std::vector<std::string>;

Row ParameterRow(const ParameterHere& parameter, const MachineSizes& sizes) {
  const ParameterFacts& facts = *parameter.facts;
  return {facts.name.substr(GroupOf(facts.name).size()), FitInto(ValuesText(parameter), kMaxValue),
          FitInto(RangeText(facts, sizes), kMaxRange), std::string(NameOf(facts.risk))};
}

std::vector<std::size_t> WidthsOf(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0 || row[i].size() <= kMaxName) widths[i] = std::max(widths[i], WidthOf(row[i]));
    }
  }
  return widths;
}

// As TableText, but a long name has a line of its own instead of widening all others.
std::string LineOf(const Row& row, const std::vector<std::size_t>& widths) {
  std::string text;
  std::string line = "  ";
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i == 0 && row[i].size() > kMaxName) {
      text = fmt::format("  {}\n", row[i]);
      line.append(widths[i] + 2, ' ');
      continue;
    }
    line += row[i] + std::string(widths[i] - WidthOf(row[i]) + 2, ' ');
  }
  return text + line;
}

// Adds as many whole words as there is room for: behind the columns or, if not even the first has
// room there, right behind what is written.
std::string WithWords(std::string text, const std::vector<std::string>& words, std::size_t width) {
  const auto columns = [&] { return WidthOf(std::string_view(text).substr(text.rfind('\n') + 1)); };
  if (!words.empty() && columns() + words.front().size() > width) {
    text.erase(text.find_last_not_of(' ') + 1);
    text += "  ";
  }
  for (const std::string& word : words) {
    if (columns() + word.size() > width) break;
    text += word + " ";
  }
  return text.erase(text.find_last_not_of(' ') + 1);
}

std::string GroupsText(const std::vector<ParameterHere>& parameters, const MachineSizes& sizes,
                       const Ink& ink) {
  const auto width = static_cast<std::size_t>(TerminalWidth());
  std::string text;
  for (std::size_t i = 0; i < parameters.size();) {
    const std::string group = GroupOf(parameters[i].facts->name);
    const std::size_t first = i;
    std::vector<Row> rows;
    for (; i < parameters.size() && GroupOf(parameters[i].facts->name) == group; ++i) {
      rows.push_back(ParameterRow(parameters[i], sizes));
    }
    const auto widths = WidthsOf(rows);
    text += fmt::format("\n{}\n", ink.Bold(group));
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const auto& words = parameters[first + row].facts->matters_for;
      text += WithWords(LineOf(rows[row], widths), words, width) + "\n";
    }
  }
  return text;
}

// What sysctl(8) knows first, then the paths.
bool IsBefore(const ParameterHere& a, const ParameterHere& b) {
  const std::string left = GroupOf(a.facts->name);
  const std::string right = GroupOf(b.facts->name);
  const bool is_left_path = left.starts_with('/');
  const bool is_right_path = right.starts_with('/');
  return is_left_path == is_right_path ? left < right : !is_left_path;
}

}  // namespace

Result<ExitCode> ListParameters(Shell& shell, const SysctlRequest& request) {
  const Knowledge& knowledge = Knowledge::Builtin();
  if (auto checked = CheckFilters(knowledge, request); !checked) return checked.error();
  const auto files = sysctl::MakeHostFiles();
  const MachineSizes sizes = sysctl::ReadSizes(*files);
  std::vector<ParameterHere> shown;
  std::size_t absent = 0;
  std::size_t denied = 0;
  for (const ParameterFacts& facts : knowledge.all()) {
    if (!IsWanted(facts, request)) continue;
    ParameterHere here = app::LookAt(*files, facts, facts.name);
    const bool is_denied = facts.risk == Risk::kDenied && !request.risk;
    if (is_denied) ++denied;
    const bool is_of_groups =
        facts.scope == sysctl::Scope::kGroup && sysctl::HasController(*files, facts.name);
    const bool is_absent = here.at.empty() && !is_of_groups;
    if (!is_denied && is_absent) ++absent;
    if (request.wants_all || (!is_denied && !is_absent)) shown.push_back(std::move(here));
  }
  if (shell.wants_json) {
    Json list = Json::array();
    for (const ParameterHere& one : shown) list.push_back(JsonOf(one, sizes));
    shell.console.out << Dump({{"parameters", list}}) << '\n';
    return ExitCode::kYes;
  }
  std::stable_sort(shown.begin(), shown.end(), IsBefore);
  std::string text;
  if (!shown.empty()) {
    text = "Each line: name, value now, range searched, risk, what it matters for.\n";
    text += GroupsText(shown, sizes, shell.console.out_ink) + "\n";
  }
  text += tune::CountText(std::ssize(shown), "parameter");
  if (!request.wants_all && absent + denied > 0) {
    text +=
        fmt::format("; {} more are not on this machine, {} are never tuned: --all", absent, denied);
  }
  shell.console.out << text << ".\nhone sysctl show NAME tells all about one.\n";
  return ExitCode::kYes;
}

}  // namespace hone::cli

// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/text/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "hone/cli/exit_code.h"

namespace hone::cli {
namespace {

constexpr std::size_t kMaxLeft = 30;

// "-o, --option NAME=VALUE"
std::string LeftOf(const Flag& flag) {
  std::string names = flag.names;
  if (const auto comma = names.find(','); comma != std::string::npos) {
    names.insert(comma + 1, " ");
  } else if (names.starts_with("--")) {
    names.insert(0, "    ");
  }
  return flag.value.empty() || flag.is_value_optional ? names + flag.value
                                                      : names + " " + flag.value;
}

TwoColumnRows RowsOf(const std::vector<Flag>& flags, bool is_operand) {
  TwoColumnRows rows;
  for (const Flag& flag : flags) {
    if (flag.IsOperand() == is_operand) rows.emplace_back(LeftOf(flag), flag.help);
  }
  return rows;
}

std::string Section(const std::string& title, const TwoColumnRows& rows) {
  return rows.empty() ? "" : fmt::format("\n{}:\n{}", title, TwoColumns(rows));
}

}  // namespace

const std::vector<Flag>& CommonFlags() {
  const auto nothing = [](const std::string&) { return Result<void>(); };
  static const std::vector<Flag> flags = {
      {.names = "--store",
       .value = "PATH",
       .help = "Where campaigns are kept (else $HONE_STORE, else ~/.local/state/hone/hone.db).",
       .set = nothing,
       .completes = Completes::kFile},
      {.names = "--json",
       .value = "",
       .help = "One JSON document on standard output.",
       .set = nothing},
      {.names = "-q,--quiet", .value = "", .help = "No plan and no progress.", .set = nothing},
      {.names = "-h,--help", .value = "", .help = "This text.", .set = nothing}};
  return flags;
}

std::string FirstSentence(const std::string& text) {
  const auto end = text.find(". ");
  return end == std::string::npos ? text : text.substr(0, end + 1);
}

std::vector<std::string> Wrap(const std::string& text, std::size_t width) {
  std::istringstream words(text);
  std::vector<std::string> lines(1);
  for (std::string word; words >> word;) {
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width) {
      lines.emplace_back();
    }
    lines.back() += (lines.back().empty() ? "" : " ") + word;
  }
  return lines;
}

std::string TwoColumns(const TwoColumnRows& rows) {
  std::size_t left = 0;
  for (const auto& [name, text] : rows) {
    if (name.size() <= kMaxLeft) left = std::max(left, name.size());
  }
  std::string result;
  for (const auto& [name, text] : rows) {
    const auto lines = Wrap(text, kTextWidth - left - 4);
    std::size_t first = 0;
    if (name.size() > left) {
      result += fmt::format("  {}\n", name);
    } else {
      result += fmt::format("  {:<{}}  {}\n", name, left, lines[first++]);
    }
    for (; first < lines.size(); ++first) {
      result += fmt::format("  {:<{}}  {}\n", "", left, lines[first]);
    }
  }
  return result;
}

std::string UsageOf(const Verb& verb) {
  std::string usage = verb.name;
  bool has_flags = false;
  for (const Flag& flag : verb.flags) has_flags = has_flags || !flag.IsOperand();
  if (has_flags) usage += " [flags]";
  for (const Flag& flag : verb.flags) {
    if (!flag.IsOperand()) continue;
    const std::string name = flag.names + (flag.is_repeatable ? "…" : "");
    usage += flag.is_required ? " " + name : " [" + name + "]";
  }
  return usage;
}

std::string HelpText(const Verb& verb) {
  std::string text = fmt::format("hone {}: {}\n\n{}\n", verb.name, verb.summary, verb.description);
  text += fmt::format("\nUsage: hone {}\n", UsageOf(verb));
  text += Section("Operands", RowsOf(verb.flags, true));
  text += Section("Flags", RowsOf(verb.flags, false));
  text += Section("Flags of every verb", RowsOf(CommonFlags(), false));
  if (verb.more_help) text += verb.more_help();
  if (verb.examples.empty()) return text;
  text += "\nExamples:\n";
  for (const Example& example : verb.examples) {
    text += fmt::format("  {}\n      {}\n", example.command, example.meaning);
  }
  return text;
}

std::string OverviewText(const std::vector<Verb>& verbs) {
  TwoColumnRows rows;
  for (const Verb& verb : verbs) rows.emplace_back(verb.name, verb.summary);
  std::string text =
      "hone: makes kernels better and proves it.\n"
      "\n"
      "A campaign measures the baseline against itself, searches in paired runs, proves\n"
      "the winner on fresh runs, and says what each change is worth, or that there is\n"
      "no gain.\n"
      "\n"
      "Usage: hone VERB [flags] [operands]\n";
  text += Section("Verbs", rows);
  text += Section("Flags of every verb", RowsOf(CommonFlags(), false));
  text +=
      "\nExamples:\n"
      "  hone tune toy\n"
      "      A campaign of a second on a made-up system, from start to verdict.\n"
      "  hone show last\n"
      "      What the newest campaign found.\n"
      "  hone tune --help\n"
      "      All about a verb.\n"
      "\n"
      "Exit status:\n";
  return text + kExitCodesText;
}

}  // namespace hone::cli

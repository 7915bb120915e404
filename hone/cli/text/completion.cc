// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/text/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hone/cli/invocation.h"
#include "hone/cli/text/help.h"

namespace hone::cli {
namespace {

constexpr const char* kRuns = "last $(hone runs --ids 2>/dev/null)";

// "-o" and "--option" of "-o,--option".
std::vector<std::string> NamesOf(const Flag& flag) {
  const auto comma = flag.names.find(',');
  if (comma == std::string::npos) return {flag.names};
  return {flag.names.substr(0, comma), flag.names.substr(comma + 1)};
}

std::vector<const Flag*> FlagsOf(const Verb& verb, bool is_operand) {
  std::vector<const Flag*> flags;
  for (const auto* list : {&verb.flags, &CommonFlags()}) {
    for (const Flag& flag : *list) {
      if (flag.IsOperand() == is_operand) flags.push_back(&flag);
    }
  }
  return flags;
}

// The commands that offer the values of a flag or operand; empty if nothing is offered.
std::string BashValues(const Flag& flag) {
  std::string reply;
  const auto add = [&reply](const std::string& from) {
    reply += fmt::format("COMPREPLY+=($(compgen {} -- \"$word\")); ", from);
  };
  if (!flag.choices.empty()) add(fmt::format("-W '{}'", fmt::join(flag.choices, " ")));
  if (flag.completes == Completes::kFile) add("-f");
  if (flag.completes == Completes::kRun) add(fmt::format("-W \"{}\"", kRuns));
  return reply;
}

std::string BashVerb(const Verb& verb) {
  std::string text = fmt::format("    {})\n      case $before in\n", verb.name);
  std::vector<std::string> names;
  for (const Flag* flag : FlagsOf(verb, false)) {
    const auto own = NamesOf(*flag);
    names.insert(names.end(), own.begin(), own.end());
    if (flag->value.empty() || flag->is_value_optional) continue;
    text += fmt::format("        {}) {}return ;;\n", fmt::join(own, "|"), BashValues(*flag));
  }
  text += "      esac\n";
  text += fmt::format(
      "      if [[ $word == -* ]]; then COMPREPLY=($(compgen -W '{}' -- \"$word\")); return; fi\n",
      fmt::join(names, " "));
  for (const Flag* operand : FlagsOf(verb, true)) {
    text += fmt::format("      {}\n", BashValues(*operand));
  }
  return text + "      ;;\n";
}

// What zsh's _arguments offers as values.
std::string ZshValues(const Flag& flag) {
  if (flag.completes == Completes::kRun) return "($(hone runs --ids 2>/dev/null) last)";
  std::string choices =
      flag.choices.empty() ? "" : fmt::format("({})", fmt::join(flag.choices, " "));
  if (flag.completes != Completes::kFile) return choices;
  if (choices.empty()) return "_files";
  return fmt::format("{{_alternative \"domains:domain:{}\" \"files:file:_files\"}}", choices);
}

// Brackets and colons mean something to _arguments.
std::string ZshHelp(const std::string& help) {
  std::string text;
  for (const char c : help) {
    if (c == '[' || c == ']' || c == ':') text += '\\';
    text += c;
  }
  return text;
}

std::string ZshVerb(const Verb& verb) {
  std::string text = fmt::format("    {})\n      _arguments -s", verb.name);
  for (const Flag* flag : FlagsOf(verb, false)) {
    for (const std::string& name : NamesOf(*flag)) {
      const std::string value = flag->value.empty() || flag->is_value_optional
                                    ? ""
                                    : fmt::format(":{}:{}", ZshHelp(flag->value), ZshValues(*flag));
      text +=
          " \\\n        " + SingleQuoted(fmt::format("{}{}[{}]{}", flag->is_repeatable ? "*" : "",
                                                     name, ZshHelp(flag->help), value));
    }
  }
  for (const Flag* operand : FlagsOf(verb, true)) {
    text +=
        " \\\n        " + SingleQuoted(fmt::format("1:{}:{}", operand->names, ZshValues(*operand)));
  }
  return text + "\n      ;;\n";
}

std::string FishValues(const Flag& flag) {
  std::string offered = fmt::format("{}", fmt::join(flag.choices, " "));
  if (flag.completes == Completes::kRun) offered = "(hone runs --ids 2>/dev/null) last";
  std::string text = offered.empty() ? "" : fmt::format(" -a {}", SingleQuoted(offered));
  if (flag.completes == Completes::kFile) text += " -F";
  return text;
}

std::string FishFlag(const std::string& condition, const Flag& flag) {
  std::string line = fmt::format("complete -c hone -n {}", SingleQuoted(condition));
  if (!flag.IsOperand()) {
    for (const std::string& name : NamesOf(flag)) {
      line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    if (!flag.value.empty() && !flag.is_value_optional) line += " -r";
  }
  return line + FishValues(flag) + " -d " + SingleQuoted(flag.help) + "\n";
}

}  // namespace

std::string BashCompletion(const std::vector<Verb>& verbs) {
  std::vector<std::string> names;
  std::string cases;
  for (const Verb& verb : verbs) {
    names.push_back(verb.name);
    cases += BashVerb(verb);
  }
  return fmt::format(
      "# bash completion for hone, made by: hone completion bash\n"
      "_hone() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}\n"
      "  COMPREPLY=()\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    COMPREPLY=($(compgen -W '{} --help --version' -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case ${{COMP_WORDS[1]}} in\n"
      "{}"
      "  esac\n"
      "}}\n"
      "complete -o filenames -F _hone hone\n",
      fmt::join(names, " "), cases);
}

std::string ZshCompletion(const std::vector<Verb>& verbs) {
  std::string list;
  std::string cases;
  for (const Verb& verb : verbs) {
    list += fmt::format("    {}\n", SingleQuoted(verb.name + ":" + verb.summary));
    cases += ZshVerb(verb);
  }
  return fmt::format(
      "#compdef hone\n"
      "# zsh completion for hone, made by: hone completion zsh\n"
      "_hone() {{\n"
      "  local -a verbs=(\n"
      "{}"
      "  )\n"
      "  if ((CURRENT == 2)); then\n"
      "    _describe verb verbs\n"
      "    return\n"
      "  fi\n"
      "  shift words\n"
      "  ((CURRENT--))\n"
      "  case $words[1] in\n"
      "{}"
      "  esac\n"
      "}}\n"
      "if [[ $funcstack[1] == _hone ]]; then _hone \"$@\"; else compdef _hone hone; fi\n",
      list, cases);
}

std::string FishCompletion(const std::vector<Verb>& verbs) {
  std::string text =
      "# fish completion for hone, made by: hone completion fish\n"
      "complete -c hone -f\n";
  for (const Verb& verb : verbs) {
    text += fmt::format("complete -c hone -n __fish_use_subcommand -a {} -d {}\n", verb.name,
                        SingleQuoted(verb.summary));
  }
  for (const Verb& verb : verbs) {
    const std::string condition = "__fish_seen_subcommand_from " + verb.name;
    for (const Flag& flag : verb.flags) text += FishFlag(condition, flag);
  }
  for (const Flag& flag : CommonFlags()) text += FishFlag("not __fish_use_subcommand", flag);
  return text;
}

}  // namespace hone::cli

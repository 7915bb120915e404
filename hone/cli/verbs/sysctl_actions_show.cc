// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ostream>

#include "hone/app/parameter_text.h"
#include "hone/cli/text/help.h"
#include "hone/cli/verbs/sysctl_actions.h"
#include "hone/domains/sysctl/kernel/control_groups.h"
#include "hone/domains/sysctl/kernel/ethtool.h"
#include "hone/domains/sysctl/kernel/setting.h"
#include "hone/domains/sysctl/knowledge/knowledge.h"
#include "hone/domains/sysctl/knowledge/needs.h"
#include "hone/domains/sysctl/knowledge/path_pattern.h"
#include "hone/domains/sysctl/services/named_services.h"

namespace hone::cli {
namespace {

using app::AmountText;
using app::ParameterHere;
using app::ValueText;
using sysctl::Knowledge;
using sysctl::MachineSizes;
using sysctl::ParameterFacts;
using sysctl::Risk;
using sysctl::Scope;

std::string_view ScopeText(Scope scope) {
  switch (scope) {
    case Scope::kHost:
      return "The whole machine.";
    case Scope::kNetwork:
      return "Each network namespace has its own, so it can be tuned in a private one.";
    case Scope::kNetworkReadOnly:
      return "The whole machine; other network namespaces see it but cannot change it.";
    case Scope::kDevice:
      return "Each device has its own.";
    case Scope::kGroup:
      return "Each control group (version 2) has its own: cgroup:nginx.service/… names one.";
  }
  return "";
}

std::string TypeText(const ParameterFacts& facts) {
  if (facts.is_action) return "An action: writing it does something once.";
  if (facts.is_flags) return "A set of bits, of which the sensible ones are tried.";
  if (facts.is_cpus) {
    return "A set of CPUs as a hexadecimal mask, CPU 0 in the lowest bit; some sets are tried.";
  }
  struct Namer {
    const std::string& unit;

    std::string operator()(const IntegerRange& range) const {
      const std::string text =
          range.is_log ? "An integer, searched by its logarithm" : "An integer";
      return range.step == 1
                 ? text + "."
                 : fmt::format("{}, in steps of {}.", text, AmountText(range.step, unit));
    }
    std::string operator()(const RealRange&) const { return "A number."; }
    std::string operator()(const Boolean&) const { return "On or off."; }
    std::string operator()(const Category& category) const {
      return category.choices.empty() ? "A text." : "One of several.";
    }
    std::string operator()(const OrderedTuple& tuple) const {
      return fmt::format("{} integers that do not decrease.", tuple.arity);
    }
  };
  return std::visit(Namer{facts.unit}, facts.search);
}

std::string NowText(const ParameterHere& parameter, const ParameterHere::At& at) {
  const std::string value = ValueText(*parameter.facts, at.text);
  std::string text = value == at.text ? value : fmt::format("{} ({})", at.text, value);
  const ParameterFacts& facts = *parameter.facts;
  if (!facts.twin.empty() && at.text == "0") text += fmt::format(": {} is in force", facts.twin);
  return text;
}

void AddNow(const ParameterHere& parameter, TwoColumnRows& rows) {
  if (parameter.at.empty()) {
    rows.emplace_back("now", parameter.facts->scope == Scope::kGroup
                                 ? "Name a group: hone sysctl show cgroup:nginx.service/cpu.weight."
                                 : "Not on this machine.");
  } else if (parameter.at.size() == 1 && !sysctl::IsPattern(parameter.facts->name)) {
    rows.emplace_back("now", NowText(parameter, parameter.at.front()));
  } else {
    for (const auto& at : parameter.at) {
      rows.emplace_back(rows.back().first == "now" || rows.back().first.empty() ? "" : "now",
                        fmt::format("{} {}", at.path, NowText(parameter, at)));
    }
  }
}

void AddNeeds(const ParameterHere& parameter, TwoColumnRows& rows) {
  if (parameter.facts->needs.empty()) return;
  std::vector<std::string> needs;
  needs.reserve(parameter.facts->needs.size());
  for (const std::string& need : parameter.facts->needs) needs.push_back(sysctl::TextOfNeed(need));
  const std::string here =
      parameter.at.empty() || parameter.unmet.empty()
          ? ""
          : fmt::format(" It does nothing here: {}.", fmt::join(parameter.unmet, ", and "));
  rows.emplace_back("works with", fmt::format("{}.{}", fmt::join(needs, ", "), here));
}

void AddRanges(const ParameterFacts& facts, const MachineSizes& sizes, TwoColumnRows& rows) {
  if (!facts.kernel_default.empty()) {
    const std::string value = ValueText(facts, facts.kernel_default);
    rows.emplace_back("default", value == facts.kernel_default
                                     ? value
                                     : fmt::format("{} ({})", facts.kernel_default, value));
  }
  if (facts.risk == Risk::kDenied) return;
  rows.emplace_back("searched", app::SearchText(facts, sizes));
  if (const std::string hard = app::HardText(facts, sizes); !hard.empty()) {
    rows.emplace_back("allowed", hard);
  }
}

std::string KernelsText(const ParameterFacts& facts) {
  if (!facts.since.empty() && !facts.until.empty()) {
    return fmt::format("Linux {} to {}.", facts.since, facts.until);
  }
  if (!facts.since.empty()) return fmt::format("Since Linux {}.", facts.since);
  return facts.until.empty() ? "" : fmt::format("Until Linux {}.", facts.until);
}

void AddCouplings(const ParameterFacts& facts, TwoColumnRows& rows) {
  if (!facts.twin.empty()) {
    rows.emplace_back("twin", facts.twin + ": setting one switches the other off.");
  }
  if (!facts.below.empty()) {
    rows.emplace_back("stays below", fmt::format("{}", fmt::join(facts.below, ", ")));
  }
  if (facts.condition) {
    std::vector<std::string> values;
    values.reserve(facts.condition->values.size());
    for (const Value& value : facts.condition->values) values.push_back(ToText(value));
    rows.emplace_back("only while",
                      fmt::format("{} is {}", facts.condition->parent, fmt::join(values, " or ")));
  }
  if (!facts.changes.empty()) {
    rows.emplace_back("changes", fmt::format("{}", fmt::join(facts.changes, ", ")));
  }
  if (!facts.choices_from.empty()) rows.emplace_back("choices from", facts.choices_from);
  if (!facts.high_from.empty()) rows.emplace_back("at most", "What " + facts.high_from + " says.");
}

void AddUse(const ParameterHere& parameter, TwoColumnRows& rows) {
  const ParameterFacts& facts = *parameter.facts;
  if (facts.risk == Risk::kDenied) return;
  const std::string path =
      parameter.at.empty() ? sysctl::PathOfName(facts.name) : parameter.at.front().path;
  if (sysctl::IsEthtoolPath(path)) {
    rows.emplace_back("set it", sysctl::EthtoolCommand(path, "VALUE"));
    rows.emplace_back("",
                      "To keep it over a restart: the network's own configuration, or a .link "
                      "file (man systemd.link).");
    return;
  }
  if (facts.scope == Scope::kGroup) {
    const std::string command = sysctl::SystemdCommand(path, "VALUE");
    if (!command.empty()) rows.emplace_back("set it", command + " (it stays over a restart)");
    return;
  }
  const bool is_sysctl = path.starts_with("/proc/sys/");
  rows.emplace_back("set it", is_sysctl
                                  ? fmt::format("sysctl -w {}=VALUE", sysctl::NameOfPath(path))
                                  : fmt::format("echo VALUE > {}", path));
  rows.emplace_back("", is_sysctl ? "To keep it over a restart: a line in /etc/sysctl.d/."
                                  : "To keep it over a restart: a line w in /etc/tmpfiles.d/.");
  rows.emplace_back("", "hone sysctl apply FILE --confirm-within 60s takes it back by itself.");
}

std::string PageOf(const ParameterHere& parameter, const MachineSizes& sizes, const Ink& ink) {
  const ParameterFacts& facts = *parameter.facts;
  TwoColumnRows rows{{"what", facts.summary}};
  if (!facts.caution.empty()) {
    rows.emplace_back(facts.risk == Risk::kDenied ? "why never" : "caution", facts.caution);
  }
  AddNeeds(parameter, rows);
  AddNow(parameter, rows);
  AddRanges(facts, sizes, rows);
  rows.emplace_back("type", TypeText(facts));
  if (!facts.unit.empty()) rows.emplace_back("unit", facts.unit);
  rows.emplace_back("risk", fmt::format("{}: {}", NameOf(facts.risk), MeaningOf(facts.risk)));
  AddCouplings(facts, rows);
  rows.emplace_back("scope", ScopeText(facts.scope));
  if (const std::string kernels = KernelsText(facts); !kernels.empty()) {
    rows.emplace_back("kernels", kernels);
  }
  if (!facts.aliases.empty()) {
    rows.emplace_back(facts.risk == Risk::kDenied ? "and also" : "elsewhere",
                      fmt::format("{}", fmt::join(facts.aliases, ", ")));
  }
  if (!facts.matters_for.empty()) {
    rows.emplace_back("matters for", fmt::format("{}", fmt::join(facts.matters_for, ", ")));
  }
  AddUse(parameter, rows);
  return fmt::format("{}\n{}", ink.Bold(facts.name), TwoColumns(rows));
}

struct KeyPage {
  std::string text;
  Json json;
};

// A key of a built-in service: "nginx:sendfile".
Result<KeyPage> ShowKey(const std::string& name, const MachineSizes& sizes, const Ink& ink) {
  auto service = sysctl::FindService(name.substr(0, name.find(':')));
  if (!service) return service.error();
  const sysctl::Services services{*service};
  const std::string why = WhyProtected(**service, name.substr(name.find(':') + 1));
  if (!why.empty()) {
    return KeyPage{fmt::format("{}\n{}", ink.Bold(name), TwoColumns({{"why never", why}})),
                   {{"name", name}, {"risk", "denied"}, {"caution", why}}};
  }
  const auto now = sysctl::ServiceTextNow(services, name);
  const sysctl::ServiceKey* const key = sysctl::KeyNamed(services, name);
  if (key == nullptr) return now.error();
  const ParameterFacts& facts = key->facts;
  TwoColumnRows rows{{"what", facts.summary}};
  if (!facts.caution.empty()) rows.emplace_back("caution", facts.caution);
  rows.emplace_back("now", now ? *now : now.error().message);
  AddRanges(facts, sizes, rows);
  rows.emplace_back("type", TypeText(facts));
  if (!facts.unit.empty()) rows.emplace_back("unit", facts.unit);
  rows.emplace_back("stands in", sysctl::PlaceInFile(services, {name, "VALUE"}));
  rows.emplace_back("taken up by", fmt::format("{}", fmt::join((*service)->reload.arguments, " ")));
  return KeyPage{fmt::format("{}\n{}", ink.Bold(name), TwoColumns(rows)),
                 {{"name", name},
                  {"summary", facts.summary},
                  {"caution", facts.caution},
                  {"now", now ? Json(*now) : Json(nullptr)},
                  {"default", facts.kernel_default},
                  {"unit", facts.unit},
                  {"file", (*service)->file},
                  {"reload", (*service)->reload.arguments}}};
}

Error NotKnown(sysctl::KernelFiles& files, const std::string& name) {
  const auto text = files.Read(sysctl::PathOfName(name));
  if (text) {
    return Error{Errc::kNotFound,
                 fmt::format("{}: this kernel has it, and it is {}, but nothing is known of it; "
                             "--allow-unknown tunes it with a range of your own",
                             name, *text)};
  }
  const auto like = Knowledge::Builtin().Like(name);
  const std::string guess =
      like.empty() ? "" : fmt::format(" did you mean {}?", fmt::join(like, ", "));
  return Error{Errc::kNotFound, fmt::format("{}: not a known parameter;{} hone sysctl list shows "
                                            "the known ones",
                                            name, guess)};
}

}  // namespace

Result<ExitCode> ShowParameter(Shell& shell, const SysctlRequest& request) {
  if (request.operands.empty()) {
    return Error{Errc::kInvalidArgument,
                 "sysctl show: name a parameter: hone sysctl show "
                 "vm.swappiness"};
  }
  const auto files = sysctl::MakeHostFiles();
  const MachineSizes sizes = sysctl::ReadSizes(*files);
  Json list = Json::array();
  std::string text;
  for (const std::string& name : request.operands) {
    if (sysctl::IsServiceKey(name)) {
      auto page = ShowKey(name, sizes, shell.console.out_ink);
      if (!page) return page.error();
      text += (text.empty() ? "" : "\n") + page->text;
      list.push_back(std::move(page->json));
      continue;
    }
    const auto path = sysctl::IsGroupName(name) ? sysctl::PathOfGroupName(*files, name)
                                                : Result<std::string>(name);
    if (!path) return path.error();
    const ParameterFacts* facts = Knowledge::Builtin().Find(*path);
    if (facts == nullptr) return NotKnown(*files, *path);
    const ParameterHere here = app::LookAt(*files, *facts, *path);
    if (shell.wants_json) list.push_back(JsonOf(here, sizes));
    text += (text.empty() ? "" : "\n") + PageOf(here, sizes, shell.console.out_ink);
  }
  shell.console.out << (shell.wants_json ? Dump({{"parameters", list}}) + "\n" : text);
  return ExitCode::kYes;
}

}  // namespace hone::cli

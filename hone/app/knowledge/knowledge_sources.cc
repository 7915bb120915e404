// SPDX-License-Identifier: Apache-2.0
#include "hone/app/knowledge/knowledge_sources.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>

#include "hone/base/sha256.h"
#include "hone/core/check.h"
#include "hone/domains/kconfig/options/kernel_texts.h"
#include "hone/domains/kconfig/options/option_knowledge.h"
#include "hone/domains/sysctl/knowledge/parameter_facts.h"
#include "hone/domains/sysctl/knowledge/parameter_reader.h"
#include "hone/domains/sysctl/knowledge/parameter_texts.h"
#include "hone/domains/sysctl/knowledge/range_text.h"

namespace hone::app {
namespace {

using agent::Passage;
using agent::PassageGroup;
using agent::PassageKind;

constexpr int kDataPassagesVersion = 1;  // To be raised whenever they are made differently.
constexpr char kOptionsFile[] = "data/kernels/knowledge.json";

void AddFact(std::string& facts, std::string_view what, const std::string& text) {
  if (!text.empty()) facts += fmt::format("{}: {}\n", what, text);
}

std::string HardRangeText(const sysctl::ParameterFacts& facts) {
  if (facts.hard_low && facts.hard_high) {
    return fmt::format("{} to {}", *facts.hard_low, *facts.hard_high);
  }
  if (facts.hard_low) return fmt::format("{} and more", *facts.hard_low);
  return facts.hard_high ? fmt::format("up to {}", *facts.hard_high) : "";
}

std::string FactsOfParameter(const sysctl::ParameterFacts& parameter) {
  std::string facts;
  const bool is_denied = parameter.risk == sysctl::Risk::kDenied;
  if (!is_denied && parameter.high_ram_shares.empty()) {
    AddFact(facts, "worth trying",
            sysctl::RangeText({.name = parameter.name,
                               .kind = parameter.search,
                               .default_value = {},
                               .unit = {},
                               .description = {},
                               .specials = parameter.specials,
                               .condition = {}}));
  }
  AddFact(facts, "allowed", HardRangeText(parameter));
  AddFact(facts, "kernel's default", parameter.kernel_default);
  AddFact(facts, "unit", parameter.unit);
  AddFact(facts, "risk", fmt::format("{}: {}", NameOf(parameter.risk), MeaningOf(parameter.risk)));
  AddFact(facts, "scope", std::string(NameOf(parameter.scope)));
  AddFact(facts, "needs", fmt::format("{}", fmt::join(parameter.needs, ", ")));
  AddFact(facts, "excludes", parameter.twin);
  AddFact(facts, "must stay below", fmt::format("{}", fmt::join(parameter.below, ", ")));
  AddFact(facts, "also called", fmt::format("{}", fmt::join(parameter.aliases, ", ")));
  AddFact(facts, "since Linux", parameter.since);
  AddFact(facts, "until Linux", parameter.until);
  AddFact(facts, "matters for", fmt::format("{}", fmt::join(parameter.matters_for, ", ")));
  return facts;
}

Passage ParameterPassage(const sysctl::ParameterFacts& parameter, std::string_view file) {
  Passage passage;
  passage.kind = PassageKind::kParameter;
  passage.names = {parameter.name};
  passage.names.insert(passage.names.end(), parameter.aliases.begin(), parameter.aliases.end());
  passage.title = parameter.summary;
  passage.text = parameter.caution;
  passage.facts = FactsOfParameter(parameter);
  passage.topics = fmt::format("{}", fmt::join(parameter.matters_for, " "));
  passage.source = fmt::format("{}: {}", file, parameter.name);
  // A denied one explains itself, and is seldom what helps.
  passage.weight = parameter.risk == sysctl::Risk::kDenied ? 0.75 : 1;
  return passage;
}

Passage KnownOptionPassage(const kernels::KnownOption& option) {
  Passage passage;
  passage.kind = PassageKind::kKnownOption;
  passage.names = {option.name};
  passage.title = option.why;
  std::vector<std::string> better;
  for (const auto& [aim, value] : option.better) better.push_back(fmt::format("{} {}", aim, value));
  std::vector<std::string> effects;
  for (const auto& effect : option.effects) effects.push_back(kernels::EffectText(effect));
  AddFact(passage.facts, "about", fmt::format("{}", fmt::join(option.about, ", ")));
  AddFact(passage.facts, "better for", fmt::format("{}", fmt::join(better, ", ")));
  AddFact(passage.facts, "published effect", fmt::format("{}", fmt::join(effects, ", ")));
  AddFact(passage.facts, "since Linux", option.since);
  AddFact(passage.facts, "until Linux", option.until);
  AddFact(passage.facts, "on", fmt::format("{}", fmt::join(option.arches, ", ")));
  AddFact(passage.facts, "protected for", option.protected_for);
  AddFact(passage.facts, "from", option.source);
  passage.topics = fmt::format("{}", fmt::join(option.about, " "));
  passage.source = fmt::format("{}: {}", kOptionsFile, option.name);
  return passage;
}

std::string DigestOfText(std::string_view text) {
  return fmt::format("{}-{}", kDataPassagesVersion, Sha256Of(text));
}

}  // namespace

std::vector<PassageGroup> DataPassages() {
  std::vector<PassageGroup> groups;
  for (const EmbeddedFile& file : sysctl::ParameterTexts()) {
    PassageGroup group{std::string(file.name), DigestOfText(file.text), {}};
    const auto parameters = sysctl::ReadParameters(std::string(file.text), group.origin);
    HONE_CHECK(parameters.has_value());  // sysctl_knowledge_test reads every one.
    for (const auto& parameter : *parameters) {
      group.passages.push_back(ParameterPassage(parameter, file.name));
    }
    groups.push_back(std::move(group));
  }
  PassageGroup options{kOptionsFile, DigestOfText(kernels::KernelText(kOptionsFile)), {}};
  for (const kernels::KnownOption& option : kernels::OptionKnowledge::BuiltIn().all()) {
    options.passages.push_back(KnownOptionPassage(option));
  }
  groups.push_back(std::move(options));
  return groups;
}

}  // namespace hone::app

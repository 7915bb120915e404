// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/text/option_text.h"

#include <fmt/format.h>

#include "hone/domains/kconfig/options/option_knowledge.h"
#include "hone/domains/kconfig/options/protected_options.h"

namespace hone::cli {
namespace {

using kernels::KnownOption;
using kernels::OptionEffect;
using kernels::OptionKnowledge;

Json KnownJson(const KnownOption& known) {
  Json json = {{"about", known.about},
               {"better", known.better},
               {"why", known.why},
               {"source", known.source}};
  for (const OptionEffect& effect : known.effects) {
    json["effects"].push_back(
        {{"aim", effect.aim}, {"low", effect.low}, {"high", effect.high}, {"unit", effect.unit}});
  }
  if (!known.since.empty()) json["since"] = known.since;
  if (!known.until.empty()) json["until"] = known.until;
  if (!known.arches.empty()) json["arch"] = known.arches;
  return json;
}

// "since 5.3, until 6.8, on x86_64"; empty if it is everywhere.
std::string WhereText(const KnownOption& known) {
  std::vector<std::string> parts;
  if (!known.since.empty()) parts.push_back("since " + known.since);
  if (!known.until.empty()) parts.push_back("until " + known.until);
  if (!known.arches.empty()) parts.push_back(fmt::format("on {}", fmt::join(known.arches, ", ")));
  return fmt::format("{}", fmt::join(parts, ", "));
}

TableRows KnownRows(const KnownOption& known) {
  std::vector<std::string> better;
  for (const auto& [aim, value] : known.better) better.push_back(fmt::format("{} {}", aim, value));
  std::vector<std::string> effects;
  for (const OptionEffect& effect : known.effects) effects.push_back(EffectText(effect));
  TableRows rows{{"about", fmt::format("{}", fmt::join(known.about, ", "))},
                 {"better for", fmt::format("{}", fmt::join(better, ", "))},
                 {"by", fmt::format("{}", fmt::join(effects, ", "))},
                 {"why", known.why},
                 {"in Linux", WhereText(known)},
                 {"source", known.source}};
  std::erase_if(rows, [](const std::vector<std::string>& row) { return row.back().empty(); });
  return rows;
}

}  // namespace

Json OptionJson(const std::string& name) {
  Json json = Json::object();
  if (const KnownOption* known = OptionKnowledge::BuiltIn().Find(name)) {
    json["known"] = KnownJson(*known);
  }
  const std::string reason = kernels::ProtectedOptions::BuiltIn().ReasonFor(name);
  if (!reason.empty()) json["protected"] = reason;
  return json;
}

TableRows OptionRows(const std::string& name) {
  TableRows rows;
  if (const KnownOption* known = OptionKnowledge::BuiltIn().Find(name)) rows = KnownRows(*known);
  const std::string reason = kernels::ProtectedOptions::BuiltIn().ReasonFor(name);
  if (!reason.empty()) rows.push_back({"protected", reason});
  return rows;
}

std::vector<std::string> KnownOptionNames() {
  std::vector<std::string> names;
  const auto& all = OptionKnowledge::BuiltIn().all();
  names.reserve(all.size());
  for (const KnownOption& known : all) names.push_back(known.name);
  return names;
}

}  // namespace hone::cli

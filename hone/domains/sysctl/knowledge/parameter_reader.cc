// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/knowledge/parameter_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "hone/base/json/json.h"
#include "hone/domains/sysctl/knowledge/needs.h"

namespace hone::sysctl {
namespace {

template <typename Enum>
Enum ReadName(JsonReader reader, std::initializer_list<Enum> known) {
  const std::string name = reader.String();
  std::string allowed;
  for (const Enum value : known) {
    if (NameOf(value) == name) return value;
    allowed += fmt::format("{}{}", allowed.empty() ? "" : ", ", NameOf(value));
  }
  reader.Fail(fmt::format("expected one of {}, found \"{:.40}\"", allowed, name));
  return *known.begin();
}

Risk ReadRisk(JsonReader reader) {
  return ReadName(std::move(reader),
                  {Risk::kSafe, Risk::kCapacity, Risk::kSticky, Risk::kDisruptive, Risk::kLinkReset,
                   Risk::kReservation, Risk::kDenied});
}

Scope ReadScope(JsonReader reader) {
  return ReadName(std::move(reader), {Scope::kHost, Scope::kNetwork, Scope::kNetworkReadOnly,
                                      Scope::kDevice, Scope::kGroup});
}

std::string OptionalText(JsonReader& reader, std::string_view key) {
  return reader.Has(key) ? reader.At(key).String() : "";
}

std::vector<std::string> OptionalTexts(JsonReader& reader, std::string_view key) {
  std::vector<std::string> texts;
  if (!reader.Has(key)) return texts;
  JsonReader list = reader.At(key);
  for (JsonReader& item : list.Items()) texts.push_back(item.String());
  return texts;
}

double ReadShare(JsonReader reader) {
  JsonReader share = reader.At("ram_share");
  const double number = share.Number();
  if (!(number > 0 && number <= 1)) share.Fail("expected a share above 0 and at most 1");
  reader.RefuseOthers();
  return number;
}

// An end of a range that depends on the memory is left at the low end here.
IntegerRange ReadRange(JsonReader& reader, std::vector<double>& ram_shares) {
  IntegerRange range;
  range.low = reader.At("low").Integer();
  JsonReader high = reader.At("high");
  ram_shares.push_back(high.Raw().is_object() ? ReadShare(high) : 0);
  range.high = high.Raw().is_object() ? range.low : high.Integer();
  if (reader.Has("step")) range.step = reader.At("step").Integer();
  if (reader.Has("log")) range.is_log = reader.At("log").Bool();
  return range;
}

RealRange ReadRealRange(JsonReader& reader) {
  RealRange range;
  range.low = reader.At("low").Number();
  range.high = reader.At("high").Number();
  if (reader.Has("step")) range.step = reader.At("step").Number();
  if (reader.Has("log")) range.is_log = reader.At("log").Bool();
  return range;
}

OrderedTuple ReadTuple(JsonReader& reader, std::vector<double>& ram_shares) {
  OrderedTuple tuple;
  JsonReader parts = reader.At("parts");
  for (JsonReader& part : parts.Items()) {
    tuple.parts.push_back(ReadRange(part, ram_shares));
    part.RefuseOthers();
  }
  tuple.arity = tuple.parts.size();
  return tuple;
}

void ReadKind(JsonReader reader, ParameterFacts& facts) {
  const std::string type = reader.At("type").String();
  if (type == "integer") {
    facts.search = ReadRange(reader, facts.high_ram_shares);
  } else if (type == "real") {
    facts.search = ReadRealRange(reader);
  } else if (type == "boolean") {
    facts.search = Boolean{};
  } else if (type == "category" || type == "flags") {
    facts.search = Category{OptionalTexts(reader, "choices")};
    facts.is_flags = type == "flags";
  } else if (type == "cpus") {
    const bool has_none = reader.Has("none") && reader.At("none").Bool();
    facts.search = has_none ? Category{{kNoCpus, kAllCpus}} : Category{{kAllCpus}};
    facts.is_cpus = true;
  } else if (type == "tuple") {
    facts.search = ReadTuple(reader, facts.high_ram_shares);
  } else if (type == "text" || type == "action") {
    facts.search = Category{};
    facts.is_action = type == "action";
  } else {
    reader.At("type").Fail(fmt::format(
        "expected integer, real, boolean, category, flags, cpus, tuple, text or action, found "
        "\"{:.40}\"",
        type));
  }
  reader.RefuseOthers();
}

void ReadHard(JsonReader reader, ParameterFacts& facts) {
  if (reader.Has("low")) facts.hard_low = reader.At("low").Integer();
  if (reader.Has("high")) {
    JsonReader high = reader.At("high");
    if (high.Raw().is_object()) {
      facts.hard_ram_share = ReadShare(high);
    } else {
      facts.hard_high = high.Integer();
    }
  }
  reader.RefuseOthers();
}

std::vector<SpecialValue> ReadSpecials(JsonReader& reader) {
  std::vector<SpecialValue> specials;
  if (!reader.Has("specials")) return specials;
  JsonReader list = reader.At("specials");
  for (JsonReader& item : list.Items()) {
    specials.push_back({item.At("value").Integer(), item.At("meaning").String()});
    item.RefuseOthers();
  }
  return specials;
}

Condition ReadCondition(JsonReader reader) {
  Condition condition;
  condition.parent = reader.At("parent").String();
  for (std::string& value : OptionalTexts(reader, "values")) {
    condition.values.emplace_back(std::move(value));
  }
  reader.RefuseOthers();
  return condition;
}

ParameterFacts ReadFacts(JsonReader reader) {
  ParameterFacts facts;
  facts.name = reader.At("name").String();
  facts.aliases = OptionalTexts(reader, "aliases");
  facts.since = OptionalText(reader, "since");
  facts.until = OptionalText(reader, "until");
  ReadRangeFacts(reader, facts);
  if (reader.Has("no_limit")) {
    facts.specials.push_back({reader.At("no_limit").String(), "no limit"});
  }
  facts.kernel_default = OptionalText(reader, "default");
  facts.unit = OptionalText(reader, "unit");
  facts.risk = ReadRisk(reader.At("risk"));
  facts.scope = ReadScope(reader.At("scope"));
  facts.choices_from = OptionalText(reader, "choices_from");
  facts.namespace_choices_from = OptionalText(reader, "namespace_choices_from");
  facts.high_from = OptionalText(reader, "high_from");
  facts.twin = OptionalText(reader, "twin");
  facts.below = OptionalTexts(reader, "below");
  if (reader.Has("condition")) facts.condition = ReadCondition(reader.At("condition"));
  facts.needs = OptionalTexts(reader, "needs");
  facts.changes = OptionalTexts(reader, "changes");
  reader.At("matters_for");
  facts.matters_for = OptionalTexts(reader, "matters_for");
  facts.summary = reader.At("summary").String();
  facts.caution = OptionalText(reader, "caution");
  reader.RefuseOthers();
  return facts;
}

Error Wrong(const ParameterFacts& facts, const std::string& what) {
  return Error{Errc::kInvalidArgument, fmt::format("{}: {}", facts.name, what)};
}

const ParameterFacts* FindExactly(const std::vector<ParameterFacts>& all, const std::string& name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const ParameterFacts& facts) {
    return facts.name == name ||
           std::find(facts.aliases.begin(), facts.aliases.end(), name) != facts.aliases.end();
  });
  return found == all.end() ? nullptr : &*found;
}

Result<void> CheckReferences(const ParameterFacts& facts, const std::vector<ParameterFacts>& all) {
  for (const std::string& other : facts.below) {
    if (FindExactly(all, other) == nullptr) {
      return Wrong(facts, fmt::format("it must stay below {}, which is not known", other));
    }
  }
  for (const std::string& need : facts.needs) {
    if (!IsMachineNeed(need) && FindExactly(all, need) == nullptr) {
      return Wrong(facts, fmt::format("it needs {}, which is not known", need));
    }
  }
  if (facts.condition && FindExactly(all, facts.condition->parent) == nullptr) {
    return Wrong(
        facts, fmt::format("its condition names {}, which is not known", facts.condition->parent));
  }
  if (facts.twin.empty()) return {};
  const ParameterFacts* twin = FindExactly(all, facts.twin);
  if (twin == nullptr) return Wrong(facts, fmt::format("its twin {} is not known", facts.twin));
  if (twin->twin != facts.name) {
    return Wrong(facts, fmt::format("its twin {} does not name it as its twin", facts.twin));
  }
  return {};
}

}  // namespace

void ReadRangeFacts(JsonReader& reader, ParameterFacts& facts) {
  ReadKind(reader.At("kind"), facts);
  if (reader.Has("hard")) ReadHard(reader.At("hard"), facts);
  facts.specials = ReadSpecials(reader);
}

Result<std::vector<ParameterFacts>> ReadParameters(const std::string& text,
                                                   const std::string& what) {
  const auto json = ParseJson(text, what);
  if (!json) return json.error();
  JsonReader reader(*json, what);
  if (reader.At("format").String() != "hone-parameters") {
    reader.At("format").Fail("expected \"hone-parameters\"");
  }
  if (reader.At("format_version").Integer() != kParametersVersion) {
    reader.At("format_version").Fail(fmt::format("expected {}", kParametersVersion));
  }
  std::vector<ParameterFacts> all;
  JsonReader list = reader.At("parameters");
  for (JsonReader& item : list.Items()) all.push_back(ReadFacts(item));
  reader.RefuseOthers();
  if (auto finished = reader.Finish(); !finished) return finished.error();
  return all;
}

Result<void> CheckTogether(const std::vector<ParameterFacts>& all) {
  std::vector<std::string> names;
  for (const ParameterFacts& facts : all) {
    names.push_back(facts.name);
    names.insert(names.end(), facts.aliases.begin(), facts.aliases.end());
    if (auto checked = CheckReferences(facts, all); !checked) return checked;
  }
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice == names.end()) return {};
  return Error{Errc::kInvalidArgument, fmt::format("{}: it is there twice", *twice)};
}

}  // namespace hone::sysctl

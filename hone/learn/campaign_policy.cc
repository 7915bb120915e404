// SPDX-License-Identifier: Apache-2.0
#include "hone/learn/campaign_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "hone/base/json/json.h"
#include "hone/base/json/records.h"

namespace hone::learn {
namespace {

constexpr const char* kCampaignPolicyFormat = "hone campaign policy";
constexpr std::int64_t kCampaignPolicyVersion = 1;
constexpr const char* kShapeOptions[] = {"net_arch", "activation_fn", "precision"};

PpoSettings ShapeOf(const CampaignPolicy& policy) {
  PpoSettings settings;
  settings.net_arch = policy.net_arch;
  settings.activation_fn = policy.activation_fn;
  settings.precision = policy.precision;
  return settings;
}

void ReadShape(JsonReader& reader, CampaignPolicy& policy) {
  PpoSettings settings;
  for (const char* name : kShapeOptions) {
    JsonReader value = reader.At(name);
    if (auto set = SetPpoOption(settings, name, value.String()); !set) {
      value.Fail(set.error().message);
    }
  }
  policy.net_arch = settings.net_arch;
  policy.activation_fn = settings.activation_fn;
  policy.precision = settings.precision;
}

bool IsSameChoice(const Parameter& a, const Parameter& b) {
  return a.kind == b.kind && a.specials == b.specials && a.condition == b.condition;
}

}  // namespace

std::string ToText(const CampaignPolicy& policy) {
  Json deltas = Json::array();
  for (const TuningView::Delta& delta : policy.deltas) {
    deltas.push_back({{"name", delta.name}, {"unit", delta.unit}});
  }
  Json json = {{"format", kCampaignPolicyFormat}, {"version", kCampaignPolicyVersion},
               {"space", ToJson(policy.space)},   {"trials", policy.trials},
               {"deltas", std::move(deltas)},     {"parameters", policy.parameters}};
  const auto options = ToOptions(ShapeOf(policy));
  for (const char* name : kShapeOptions) json[name] = options.at(name);
  return Dump(json);
}

Result<CampaignPolicy> ReadCampaignPolicy(const std::string& text, const std::string& what) {
  const auto json = ParseJson(text, what);
  if (!json) return json.error();
  JsonReader reader(*json, what);
  CampaignPolicy policy;
  if (reader.At("format").String() != kCampaignPolicyFormat ||
      reader.At("version").Integer() != kCampaignPolicyVersion) {
    reader.Fail(fmt::format("expected the format \"{}\", version {}", kCampaignPolicyFormat,
                            kCampaignPolicyVersion));
  }
  policy.space = ReadSpace(reader.At("space"));
  ReadShape(reader, policy);
  policy.trials = reader.At("trials").Integer();
  for (JsonReader& item : reader.At("deltas").Items()) {
    policy.deltas.push_back({item.At("name").String(), item.At("unit").Number()});
  }
  for (JsonReader& item : reader.At("parameters").Items()) {
    policy.parameters.push_back(item.Number());
  }
  reader.RefuseOthers();
  if (auto finished = reader.Finish(); !finished) return finished.error();
  return policy;
}

std::string WhyUnfit(const Space& trained, const Space& now) {
  for (const Parameter& parameter : trained.parameters()) {
    if (!now.IndexOf(parameter.name)) {
      return fmt::format("{} was a parameter then and is none now", parameter.name);
    }
  }
  for (std::size_t i = 0; i < now.parameters().size(); ++i) {
    const Parameter& parameter = now.parameters()[i];
    const auto index = trained.IndexOf(parameter.name);
    if (!index) return fmt::format("{} is a parameter now and was none then", parameter.name);
    if (*index != i) return fmt::format("{} stood in another place then", parameter.name);
    if (!IsSameChoice(trained.parameters()[i], parameter)) {
      return fmt::format("{} has other values, another range or another condition now",
                         parameter.name);
    }
  }
  return "";
}

}  // namespace hone::learn

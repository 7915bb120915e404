// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/verdict.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "hone/base/json/records.h"
#include "hone/tune/campaign/statistics_json.h"
#include "hone/tune/campaign/words.h"

namespace hone::tune {
namespace {

constexpr std::array<std::pair<Verdict::Kind, std::string_view>, 6> kKindNames{{
    {Verdict::Kind::kGain, "gain"},
    {Verdict::Kind::kNoGain, "no_gain"},
    {Verdict::Kind::kFront, "front"},
    {Verdict::Kind::kNotEnough, "not_enough"},
    {Verdict::Kind::kSuspicious, "suspicious"},
    {Verdict::Kind::kDoesNotRun, "does_not_run"},
}};

std::string SignedGain(double log_ratio) {
  if (!std::isfinite(log_ratio)) return log_ratio < 0 ? "-inf" : "+inf";
  return SignedPercent(ToPercent(log_ratio));
}

Json ProofJson(const Proof& proof) {
  Json objectives = Json::array();
  for (const ObjectiveGain& gain : proof.objectives) {
    objectives.push_back({{"metric", gain.metric}, {"test", ToJson(gain.test)}});
  }
  Json limits = Json::array();
  for (const LimitCheck& check : proof.limits) {
    limits.push_back(
        {{"limit", ToJson(check.limit)}, {"margin", ToJson(check.margin)}, {"holds", check.holds}});
  }
  return {{"candidate", ToJson(proof.candidate)},
          {"reward", ToJson(proof.reward)},
          {"objectives", objectives},
          {"limits", limits},
          {"failure", proof.failure},
          {"adjusted_p", proof.adjusted_p},
          {"is_gain", proof.is_gain}};
}

Proof VerdictReadProof(JsonReader reader) {
  Proof proof;
  proof.candidate = ReadCandidate(reader.At("candidate"));
  proof.reward = ReadPairedTest(reader.At("reward"));
  for (JsonReader& gain : reader.At("objectives").Items()) {
    proof.objectives.push_back({gain.At("metric").String(), ReadPairedTest(gain.At("test"))});
  }
  for (JsonReader& check : reader.At("limits").Items()) {
    proof.limits.push_back({ReadLimit(check.At("limit")), ReadPairedTest(check.At("margin")),
                            check.At("holds").Bool()});
  }
  proof.failure = reader.At("failure").String();
  proof.adjusted_p = reader.At("adjusted_p").Number();
  proof.is_gain = reader.At("is_gain").Bool();
  return proof;
}

Verdict::Kind VerdictReadKind(JsonReader reader) {
  const std::string name = reader.String();
  for (const auto& [kind, known] : kKindNames) {
    if (known == name) return kind;
  }
  reader.Fail("expected gain, no_gain, front, not_enough, suspicious or does_not_run");
  return Verdict::Kind::kNoGain;
}

std::vector<std::string> VerdictReadTexts(JsonReader reader) {
  std::vector<std::string> texts;
  for (JsonReader& item : reader.Items()) texts.push_back(item.String());
  return texts;
}

}  // namespace

double ToPercent(double log_ratio) { return 100 * std::expm1(log_ratio); }

std::string ToText(const PairedTest& test) {
  return fmt::format("{} [{}, {}], {}, n = {} pairs", SignedGain(test.effect),
                     SignedGain(test.interval.low), SignedGain(test.interval.high),
                     PText(test.p_value), test.count);
}

std::string_view NameOf(Verdict::Kind kind) {
  return kKindNames[static_cast<std::size_t>(kind)].second;
}

bool HasGain(const Verdict& verdict) {
  return verdict.kind == Verdict::Kind::kGain || verdict.kind == Verdict::Kind::kFront ||
         verdict.kind == Verdict::Kind::kSuspicious;
}

Json ToJson(const Verdict& verdict) {
  Json front = Json::array();
  for (const Proof& proof : verdict.front) front.push_back(ProofJson(proof));
  Json effects = Json::array();
  for (const ParameterEffect& effect : verdict.effects) {
    effects.push_back({{"name", effect.name},
                       {"from", effect.from},
                       {"to", effect.to},
                       {"effect", ToJson(effect.effect)}});
  }
  Json output = Json::array();
  for (const Evidence& evidence : verdict.output) {
    output.push_back({{"what", evidence.what}, {"text", evidence.text}});
  }
  return {{"kind", NameOf(verdict.kind)},
          {"reason", verdict.reason},
          {"proof", verdict.proof ? ProofJson(*verdict.proof) : Json(nullptr)},
          {"front", front},
          {"effects", effects},
          {"dropped", verdict.dropped},
          {"detectable", verdict.detectable},
          {"suspicions", verdict.suspicions},
          {"output", output},
          {"notes", verdict.notes}};
}

Result<Verdict> ReadVerdict(const Json& json, const std::string& what) {
  JsonReader reader(json, what);
  Verdict verdict;
  verdict.kind = VerdictReadKind(reader.At("kind"));
  verdict.reason = reader.At("reason").String();
  JsonReader proof = reader.At("proof");
  if (!proof.Raw().is_null()) verdict.proof = VerdictReadProof(proof);
  for (JsonReader& point : reader.At("front").Items())
    verdict.front.push_back(VerdictReadProof(point));
  for (JsonReader& effect : reader.At("effects").Items()) {
    verdict.effects.push_back({effect.At("name").String(), effect.At("from").String(),
                               effect.At("to").String(), ReadPairedTest(effect.At("effect"))});
  }
  verdict.dropped = VerdictReadTexts(reader.At("dropped"));
  verdict.detectable = reader.At("detectable").Number();
  verdict.notes = VerdictReadTexts(reader.At("notes"));
  if (reader.Has("suspicions")) verdict.suspicions = VerdictReadTexts(reader.At("suspicions"));
  if (reader.Has("output")) {
    for (JsonReader& evidence : reader.At("output").Items()) {
      verdict.output.push_back({evidence.At("what").String(), evidence.At("text").String()});
    }
  }
  reader.RefuseOthers();
  if (auto done = reader.Finish(); !done) return done.error();
  return verdict;
}

}  // namespace hone::tune

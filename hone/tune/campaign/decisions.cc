// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/decisions.h"

#include <fmt/format.h>

#include "hone/base/json/records.h"
#include "hone/tune/campaign/gate.h"
#include "hone/tune/campaign/verdict.h"

namespace hone::tune {
namespace {

Decision MakeDecision(DecisionKind kind, Json choice, Json grounds) {
  return {std::string(NameOf(kind)), std::move(choice), std::move(grounds)};
}

// Reads one kind of decision: its parts by `read`, which gets readers of choice and grounds.
template <typename T, typename Read>
Result<T> ReadDecision(const Decision& decision, DecisionKind kind, const Read& read) {
  if (!Is(decision, kind)) {
    return Error{Errc::kCorrupt, fmt::format("decision {}: expected {}",
                                             decision.kind.substr(0, 80), NameOf(kind))};
  }
  const std::string what = fmt::format("decision {}", decision.kind);
  JsonReader choice(decision.choice, what);
  JsonReader grounds(decision.grounds, what + ", grounds");
  T found = read(choice, grounds);
  if (auto done = choice.Finish(); !done) return done.error();
  if (auto done = grounds.Finish(); !done) return done.error();
  return found;
}

std::int64_t ReadTrial(JsonReader& choice) {
  JsonReader reader = choice.At("trial");
  const std::int64_t trial = reader.Integer();
  if (trial < 0) reader.Fail("expected a trial's number, found a negative one");
  return trial;
}

Outcome ReadOutcomeName(JsonReader reader) {
  const auto outcome = OutcomeNamed(reader.String());
  if (!outcome) reader.Fail(outcome.error().message);
  return outcome.value_or(Outcome::kRejected);
}

RaceStep ReadRaceStep(JsonReader reader) {
  const auto step = RaceStepNamed(reader.String());
  if (!step) reader.Fail(step.error().message);
  return step.value_or(RaceStep::kEnough);
}

}  // namespace

std::string_view NameOf(DecisionKind kind) {
  switch (kind) {
    case DecisionKind::kGate:
      return "gate";
    case DecisionKind::kAsk:
      return "ask";
    case DecisionKind::kRace:
      return "race";
    case DecisionKind::kStop:
      return "stop";
    case DecisionKind::kSensitivity:
      return "sensitivity";
    case DecisionKind::kFinal:
      return "final";
    case DecisionKind::kProve:
      return "prove";
    case DecisionKind::kPart:
      return "part";
    case DecisionKind::kAblate:
      return "ablate";
    case DecisionKind::kVerdict:
      return "verdict";
  }
  return "unknown";
}

bool Is(const Decision& decision, DecisionKind kind) { return decision.kind == NameOf(kind); }

Decision ToDecision(const GateReport& gate) {
  return MakeDecision(DecisionKind::kGate, Json::object(), ToJson(gate));
}

Decision ToDecision(const AskDecision& ask) {
  return MakeDecision(DecisionKind::kAsk,
                      {{"trial", ask.trial}, {"candidate", ToJson(ask.candidate)}}, Json::object());
}

Decision ToDecision(const RaceDecision& race) {
  return MakeDecision(
      DecisionKind::kRace,
      {{"trial", race.trial},
       {"round", race.round},
       {"outcome", NameOf(race.outcome)},
       {"step", NameOf(race.step)}},
      {{"reward", ToJson(race.reward)}, {"is_within_limits", race.is_within_limits}});
}

Decision ToDecision(const StopDecision& stop) {
  return MakeDecision(DecisionKind::kStop, {{"why", stop.why}, {"trials", stop.trials}},
                      {{"pairs", stop.pairs}});
}

Decision ToDecision(const SensitivityDecision& sensitivity) {
  return MakeDecision(DecisionKind::kSensitivity, {{"is_moved", sensitivity.is_moved}},
                      {{"p_value", sensitivity.p_value}});
}

Decision ToDecision(const FinalDecision& favourite) {
  return MakeDecision(
      DecisionKind::kFinal,
      {{"trial", favourite.trial}, {"candidate", ToJson(favourite.candidate)}},
      {{"reward", ToJson(favourite.reward)}, {"outcome", NameOf(favourite.outcome)}});
}

Decision ToDecision(const ProveDecision& prove) {
  return MakeDecision(DecisionKind::kProve,
                      {{"name", NameOf(prove.phase)},
                       {"candidate", ToJson(prove.candidate)},
                       {"pairs", prove.pairs}},
                      Json());
}

Decision ToDecision(const PartDecision& part) {
  return MakeDecision(DecisionKind::kPart, {{"pairs", part.pairs}}, Json::object());
}

Decision ToDecision(const AblateDecision& ablate) {
  return MakeDecision(DecisionKind::kAblate,
                      {{"without", ablate.without}, {"is_free", ablate.is_free}},
                      {{"effect", ablate.effect}});
}

Decision ToDecision(const Verdict& verdict) {
  return MakeDecision(DecisionKind::kVerdict,
                      {{"kind", NameOf(verdict.kind)},
                       {"candidate", verdict.proof ? ToJson(verdict.proof->candidate) : Json()}},
                      ToJson(verdict));
}

Result<GateReport> ReadGate(const Decision& decision) {
  if (!Is(decision, DecisionKind::kGate)) {
    return Error{Errc::kCorrupt,
                 fmt::format("decision {}: expected gate", decision.kind.substr(0, 80))};
  }
  return ReadGateReport(decision.grounds, decision.kind);
}

Result<AskDecision> ReadAsk(const Decision& decision) {
  return ReadDecision<AskDecision>(
      decision, DecisionKind::kAsk, [](JsonReader& choice, JsonReader&) {
        return AskDecision{ReadTrial(choice), ReadCandidate(choice.At("candidate"))};
      });
}

Result<RaceDecision> ReadRace(const Decision& decision) {
  return ReadDecision<RaceDecision>(
      decision, DecisionKind::kRace, [](JsonReader& choice, JsonReader& grounds) {
        return RaceDecision{.trial = ReadTrial(choice),
                            .round = choice.At("round").Integer(),
                            .outcome = ReadOutcomeName(choice.At("outcome")),
                            .step = ReadRaceStep(choice.At("step")),
                            .reward = ReadEstimate(grounds.At("reward")),
                            .is_within_limits = grounds.At("is_within_limits").Bool()};
      });
}

Result<StopDecision> ReadStop(const Decision& decision) {
  return ReadDecision<StopDecision>(decision, DecisionKind::kStop,
                                    [](JsonReader& choice, JsonReader& grounds) {
                                      return StopDecision{.why = choice.At("why").String(),
                                                          .trials = choice.At("trials").Integer(),
                                                          .pairs = grounds.At("pairs").Integer()};
                                    });
}

Result<FinalDecision> ReadFinal(const Decision& decision) {
  return ReadDecision<FinalDecision>(
      decision, DecisionKind::kFinal, [](JsonReader& choice, JsonReader& grounds) {
        return FinalDecision{.trial = ReadTrial(choice),
                             .candidate = ReadCandidate(choice.At("candidate")),
                             .outcome = ReadOutcomeName(grounds.At("outcome")),
                             .reward = ReadEstimate(grounds.At("reward"))};
      });
}

std::optional<std::int64_t> TrialOf(const Decision& decision) {
  if (!Is(decision, DecisionKind::kAsk) && !Is(decision, DecisionKind::kRace) &&
      !Is(decision, DecisionKind::kFinal)) {
    return std::nullopt;
  }
  JsonReader choice(decision.choice, decision.kind);
  const std::int64_t trial = ReadTrial(choice);
  if (!choice.Finish()) return std::nullopt;
  return trial;
}

}  // namespace hone::tune

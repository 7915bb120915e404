// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/text/kernel_search_text.h"

#include <fmt/format.h>

#include <utility>

#include "hone/agent/kernel/kernel_record.h"

namespace hone::cli {
namespace {

using agent::FallenKernel;
using agent::KernelAttempt;
using agent::KernelProof;
using agent::KernelSearchResult;
using agent::Speedup;

Json SpeedupJson(const std::optional<Speedup>& speedup) {
  if (!speedup) return nullptr;
  return {{"value", speedup->value}, {"low", speedup->low}, {"high", speedup->high}};
}

std::string LineageText(const KernelSearchResult& result, const KernelAttempt& winner) {
  std::string text;
  for (const KernelAttempt& one : result.LineageOf(winner)) {
    text +=
        fmt::format("{}{} ({}{}{})", text.empty() ? "" : ", ", one.number,
                    NameOf(one.verdict.outcome), one.verdict.speedup ? " " : "",
                    one.verdict.speedup ? fmt::format("{:.3g}x", one.verdict.speedup->value) : "");
  }
  return text;
}

Json WinnerJson(const KernelSearchResult& result, const KernelProof& proof) {
  const KernelAttempt& winner = *proof.winner;
  Json lineage = Json::array();
  for (const KernelAttempt& one : result.LineageOf(winner)) lineage.push_back(one.number);
  Json json{{"number", winner.number},  {"lineage", std::move(lineage)},
            {"source", winner.source},  {"searched", SpeedupJson(winner.verdict.speedup)},
            {"outcome", nullptr},       {"proven", nullptr},
            {"is_gain", proof.IsGain()}};
  if (proof.fresh) {
    json["outcome"] = NameOf(proof.fresh->outcome);
    json["proven"] = SpeedupJson(proof.fresh->speedup);
  } else {
    json["not_proven"] = proof.why_not;
  }
  return json;
}

std::string WinnerText(const KernelProof& proof) {
  if (!proof.fresh) return fmt::format("not proven: {}", proof.why_not);
  const std::string speedup = KernelSpeedupText(proof.fresh->speedup);
  return proof.IsGain() ? fmt::format("faster, {} on fresh runs", speedup)
                        : fmt::format("not shown to be faster: {} on fresh runs", speedup);
}

}  // namespace

std::string KernelSpeedupText(const std::optional<Speedup>& speedup) {
  if (!speedup) return "";
  return fmt::format("{:.3g}x [95 %: {:.3g}, {:.3g}]", speedup->value, speedup->low, speedup->high);
}

std::string ProofText(const std::string& problem, const KernelSearchResult& result,
                      const KernelProof& proof) {
  std::string text;
  if (proof.winner) {
    text = fmt::format("{}: {}.\n  attempt {} of {}; the search saw {}\n  lineage: {}\n", problem,
                       WinnerText(proof), proof.winner->number, result.attempts.size(),
                       KernelSpeedupText(proof.winner->verdict.speedup),
                       LineageText(result, *proof.winner));
  } else if (proof.fallen.empty()) {
    text = fmt::format("{}: none of {} attempts was accepted.\n", problem, result.attempts.size());
  } else {
    text =
        fmt::format("{}: none of the best of {} attempts was accepted when it was judged again.\n",
                    problem, result.attempts.size());
  }
  for (const FallenKernel& one : proof.fallen) {
    text +=
        fmt::format("  attempt {}, of which the search saw {}, was {} when it was judged again\n",
                    one.attempt.number, KernelSpeedupText(one.attempt.verdict.speedup),
                    NameOf(one.fresh.outcome));
  }
  return text;
}

Json ProofJson(const KernelSearchResult& result, const KernelProof& proof) {
  Json json{{"attempts", Json::array()},
            {"notes", result.notes},
            {"is_cut_short", result.is_cut_short},
            {"winner", nullptr},
            {"fallen", Json::array()}};
  for (const KernelAttempt& one : result.attempts) json["attempts"].push_back(ToJson(one));
  for (const FallenKernel& one : proof.fallen) {
    json["fallen"].push_back({{"number", one.attempt.number},
                              {"outcome", NameOf(one.fresh.outcome)},
                              {"feedback", one.fresh.feedback}});
  }
  if (proof.winner) json["winner"] = WinnerJson(result, proof);
  return json;
}

ExitCode ExitCodeOf(const KernelSearchResult& result, const KernelProof& proof) {
  if (proof.IsGain()) return ExitCode::kYes;
  const bool is_open = result.is_cut_short || (proof.winner && !proof.fresh);
  return is_open ? ExitCode::kNotEnough : ExitCode::kNo;
}

std::string NotesText(const KernelSearchResult& result) {
  std::string text;
  for (const std::string& note : result.notes) text += fmt::format("  note: {}\n", note);
  if (result.is_cut_short) text += "  It was cut short; the same command goes on.\n";
  return text;
}

std::string BenchText(const BenchReport& report) {
  const agent::KernelScores& scores = report.scores;
  std::string text = fmt::format(
      "{} attempts: {:.0f} % with code, {:.0f} % build, {:.0f} % are right\n", scores.attempts,
      100 * scores.with_source, 100 * scores.built, 100 * scores.accepted);
  for (std::size_t k = 0; k < scores.pass_at.size(); ++k) {
    text += fmt::format("pass@{} {:.2f}  ", k + 1, scores.pass_at[k]);
  }
  text += "\nshare of lines that have, by the end of a round, (by the estimate / for sure)\n";
  for (const agent::RoundScores& round : scores.rounds) {
    text += fmt::format("  round {}: right {:.2f}", round.round + 1, round.accepted);
    for (const agent::FastShare& share : round.fast) {
      text += fmt::format("  fast@{:g} {:.2f} / {:.2f}", share.threshold, share.by_estimate,
                          share.by_lower_bound);
    }
    text += "\n";
  }
  for (const std::string& note : report.notes) text += fmt::format("  note: {}\n", note);
  for (const BenchReport::Failure& one : report.failed) {
    text += fmt::format("  {} is not in it: {}\n", one.problem, one.why);
  }
  if (report.is_cut_short) text += "  It was cut short; the same command goes on.\n";
  return text;
}

Json BenchJson(const BenchReport& report) {
  const agent::KernelScores& scores = report.scores;
  Json rounds = Json::array();
  for (const agent::RoundScores& round : scores.rounds) {
    Json fast = Json::array();
    for (const agent::FastShare& share : round.fast) {
      fast.push_back({{"p", share.threshold},
                      {"by_estimate", share.by_estimate},
                      {"by_lower_bound", share.by_lower_bound}});
    }
    rounds.push_back({{"round", round.round + 1}, {"accepted", round.accepted}, {"fast", fast}});
  }
  Json failed = Json::array();
  for (const BenchReport::Failure& one : report.failed) {
    failed.push_back({{"problem", one.problem}, {"why", one.why}});
  }
  return {{"attempts", scores.attempts},
          {"with_source", scores.with_source},
          {"built", scores.built},
          {"accepted", scores.accepted},
          {"rounds", std::move(rounds)},
          {"pass_at", scores.pass_at},
          {"notes", report.notes},
          {"failed", std::move(failed)},
          {"is_cut_short", report.is_cut_short},
          {"spent", {{"tokens", report.spent.tokens}, {"money", report.spent.money.amount()}}}};
}

ExitCode ExitCodeOf(const BenchReport& report) {
  return report.is_cut_short || !report.failed.empty() ? ExitCode::kNotEnough : ExitCode::kYes;
}

}  // namespace hone::cli

// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/export.h"

#include <fmt/format.h>

#include <array>
#include <set>
#include <string_view>

#include "hone/base/json/json.h"
#include "hone/base/json/records.h"
#include "hone/tune/campaign/campaign_spec.h"
#include "hone/tune/campaign/verdict.h"

namespace hone::tune {
namespace {

Json StoredDecisionJson(const StoredDecision& stored) {
  return {{"at_us", ToMicroseconds(stored.at)},
          {"kind", stored.decision.kind},
          {"choice", stored.decision.choice},
          {"grounds", stored.decision.grounds}};
}

Json StoredBlockJson(const HistoryBlock& block) {
  return {{"name", block.name},
          {"candidate", ToJson(block.candidate)},
          {"baseline", ToJson(block.baseline)},
          {"position", block.position},
          {"evaluation", ToJson(block.evaluation)}};
}

// A field that holds a separator, a quote or a line break stands in quotes, its quotes doubled.
std::string Field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string NumberField(double value) {
  if (value != value) return "NaN";
  return fmt::format("{}", value);
}

std::set<std::string> MetricNames(const CampaignHistory& history) {
  std::set<std::string> names;
  for (const HistoryBlock& block : history.blocks) {
    for (const Sample& sample : block.evaluation.samples) {
      for (const auto& [name, reading] : sample.metrics) names.insert(name);
    }
  }
  return names;
}

std::string Joined(const std::vector<std::string>& marks) {
  return fmt::format("{}", fmt::join(marks, "; "));
}

std::string Line(const HistoryBlock& block, std::size_t run, std::size_t pair,
                 const std::set<std::string>& metrics) {
  const Sample& sample = block.evaluation.samples[run];
  const auto trial = TrialOf(block);
  const auto phase = PhaseOf(block);
  std::string line = fmt::format(
      "{},{},{},{},{},{},{},{},{},{}", Field(block.name), Field(phase ? NameOf(*phase) : ""),
      trial ? std::to_string(*trial) : "", pair,
      sample.arm == Arm::kBaseline ? "baseline" : "candidate",
      block.position + static_cast<std::int64_t>(run), ToMicroseconds(sample.started),
      sample.duration.count(), NameOf(block.evaluation.outcome), Field(Joined(sample.marks)));
  for (const std::string& name : metrics) {
    const auto found = sample.metrics.find(name);
    line += ',';
    if (found != sample.metrics.end()) line += NumberField(found->second.value);
  }
  return line + "\r\n";
}

}  // namespace

std::string ExportJson(const CampaignHistory& history) {
  const StoredCampaign& campaign = history.campaign;
  Json decisions = Json::array();
  for (const StoredDecision& decision : history.decisions) {
    decisions.push_back(StoredDecisionJson(decision));
  }
  Json blocks = Json::array();
  for (const HistoryBlock& block : history.blocks) blocks.push_back(StoredBlockJson(block));
  const Json document = {{"format", "hone-campaign"},
                         {"format_version", kExportVersion},
                         {"id", campaign.id},
                         {"created_us", ToMicroseconds(campaign.created)},
                         {"updated_us", ToMicroseconds(campaign.updated)},
                         {"state", campaign.state == CampaignState::kDone ? "done" : "unfinished"},
                         {"last_error", campaign.last_error},
                         {"aftermath", campaign.restore_text},
                         {"hone_version", campaign.start.version},
                         {"spec", ToJson(campaign.start.spec)},
                         {"space", ToJson(campaign.start.space)},
                         {"baseline", ToJson(campaign.start.baseline)},
                         {"needs", ToJson(campaign.start.needs)},
                         {"machine", campaign.start.machine},
                         {"verdict", campaign.verdict ? ToJson(*campaign.verdict) : Json()},
                         {"decisions", decisions},
                         {"blocks", blocks}};
  return Dump(document);
}

std::string ExportCsv(const CampaignHistory& history) {
  const auto metrics = MetricNames(history);
  std::string csv = "block,phase,trial,pair,arm,position,started_us,duration_us,outcome,marks";
  for (const std::string& name : metrics) csv += "," + Field("metric." + name);
  csv += "\r\n";
  for (const HistoryBlock& block : history.blocks) {
    std::array<std::size_t, 2> made{};  // Runs of either arm so far: the k-th two are a pair.
    for (std::size_t run = 0; run < block.evaluation.samples.size(); ++run) {
      const auto arm = static_cast<std::size_t>(block.evaluation.samples[run].arm);
      csv += Line(block, run, made[arm]++, metrics);
    }
  }
  return csv;
}

}  // namespace hone::tune

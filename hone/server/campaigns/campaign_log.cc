// SPDX-License-Identifier: Apache-2.0
#include "hone/server/campaigns/campaign_log.h"

#include <chrono>
#include <utility>

#include "hone/server/http/event_stream.h"
#include "hone/tune/campaign/campaign_json.h"

namespace hone::server {
namespace {

constexpr std::chrono::milliseconds kMoment{100};
constexpr std::size_t kSlice = 8;  // Blocks between two looks at the clock; one may have many runs.

// What was counted while the winner was proven explains the verdict; all else is in the events.
tune::HistoryBlock GistOf(const tune::HistoryBlock& block) {
  tune::HistoryBlock gist = block;
  const auto phase = tune::PhaseOf(block);
  const bool is_proof =
      phase == tune::BlockPhase::kProof || phase == tune::BlockPhase::kProofReduced;
  gist.evaluation.evidence.clear();
  for (Sample& sample : gist.evaluation.samples) {
    sample.metrics.clear();
    sample.output.clear();
    if (!is_proof) sample.observations.clear();
  }
  return gist;
}

}  // namespace

CampaignLog::CampaignLog(tune::CampaignStore store, std::filesystem::path path,
                         tune::StoredCampaign campaign)
    : path_(std::move(path)),
      store_(std::move(store)),
      gist_{std::move(campaign), {}, {}},
      walk_(gist_.campaign.start.spec.rule) {}

Result<std::shared_ptr<CampaignLog>> CampaignLog::Open(const std::filesystem::path& path,
                                                       const std::string& id, Clock& clock) {
  auto store = tune::CampaignStore::Open(path, clock, Database::Mode::kReadOnly);
  if (!store) return store.error();
  auto campaign = store->Find(id);
  if (!campaign) return campaign.error();
  return std::shared_ptr<CampaignLog>(
      new CampaignLog(std::move(*store), path, std::move(*campaign)));
}

Result<bool> CampaignLog::Refresh(std::uint64_t ring) {
  const std::lock_guard lock(mutex_);
  if (is_done_ || (ring_ == ring && ring != 0)) return true;
  auto is_all = ReadSome();
  if (is_all && *is_all) ring_ = ring;
  return is_all;
}

// In this order: what a decision rests on was stored before it, and all decisions before the end.
Result<bool> CampaignLog::ReadSome() {
  auto campaign = store_.Find(gist_.campaign.id);
  if (!campaign) return campaign.error();
  gist_.campaign = std::move(*campaign);
  auto decisions = store_.Decisions(gist_.campaign.id, gist_.decisions.size());
  if (!decisions) return decisions.error();
  auto is_all = ReadEvaluations();
  if (!is_all) return is_all.error();
  for (tune::StoredDecision& decision : *decisions) gist_.decisions.push_back(std::move(decision));
  AddDecisions(*is_all);
  is_done_ = *is_all && gist_.campaign.verdict.has_value();
  if (is_done_) walk_.Finish();
  walk_.Emit([this](const tune::CampaignEvent& event) { Emit(event); });
  return is_all;
}

// The walk takes blocks that are missing after the stop for ones that never were: it hears of the
// stop once all are read.
void CampaignLog::AddDecisions(bool is_all) {
  for (; walked_ < gist_.decisions.size(); ++walked_) {
    const tune::StoredDecision& decision = gist_.decisions[walked_];
    if (!is_all && Is(decision.decision, tune::DecisionKind::kStop)) return;
    walk_.Add(decision);
  }
}

// For a moment; false if there is more.
Result<bool> CampaignLog::ReadEvaluations() {
  if (!evaluations_) {
    auto opened = EvaluationStore::Open(path_);
    if (!opened && opened.error().code == Errc::kNotFound) return true;
    if (!opened) return opened.error();
    evaluations_.emplace(std::move(*opened));
  }
  const auto end = std::chrono::steady_clock::now() + kMoment;
  while (true) {
    const auto count = ReadBlocks(kSlice);
    if (!count) return count.error();
    if (*count < kSlice) return true;
    if (std::chrono::steady_clock::now() >= end) return false;
  }
}

Result<std::size_t> CampaignLog::ReadBlocks(std::int64_t max) {
  std::vector<tune::HistoryBlock> blocks;
  const auto last = evaluations_->ForEachAfter(
      gist_.campaign.id + "/", sequence_,
      [&](const Evaluation& evaluation, const Task& task) -> Result<void> {
        blocks.push_back(tune::MakeBlock(gist_.campaign.id, evaluation, task));
        return {};
      },
      max);
  if (!last) return last.error();
  sequence_ = *last;
  const std::size_t count = blocks.size();
  for (tune::HistoryBlock& block : blocks) {
    gist_.blocks.push_back(GistOf(block));
    walk_.Add(std::move(block));
  }
  return count;
}

tune::CampaignHistory CampaignLog::Gist() const {
  const std::lock_guard lock(mutex_);
  return gist_;
}

void CampaignLog::Emit(const tune::CampaignEvent& event) {
  const std::uint64_t id = events_.size() + 1;
  switch (event.kind) {
    case tune::CampaignEvent::Kind::kBlock:
      events_.push_back(
          EventText("block", tune::BlockJson(gist_.campaign.start, *event.block), id));
      return;
    case tune::CampaignEvent::Kind::kTrial:
      events_.push_back(EventText(
          "trial", tune::TrialJson(gist_.campaign.start, *event.trial, event.at, event.best), id));
      return;
    case tune::CampaignEvent::Kind::kVerdict:
      events_.push_back(EventText(
          "verdict", tune::VerdictJson(gist_.campaign.start.spec, *gist_.campaign.verdict), id));
      return;
  }
}

CampaignLog::Page CampaignLog::After(std::uint64_t id, std::size_t max_bytes) const {
  const std::lock_guard lock(mutex_);
  Page page;
  page.last = id;
  while (page.last < events_.size() && page.text.size() < max_bytes) {
    page.text += events_[page.last++];
  }
  page.is_end = is_done_ && page.last >= events_.size();
  return page;
}

}  // namespace hone::server

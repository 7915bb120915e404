// SPDX-License-Identifier: Apache-2.0
#include "hone/server/campaign_log.h"

#include <utility>

#include "hone/server/event_stream.h"
#include "hone/tune/campaign_json.h"

namespace hone {

CampaignLog::CampaignLog(CampaignStore store, std::filesystem::path path, StoredCampaign campaign)
    : path_(std::move(path)),
      store_(std::move(store)),
      campaign_(std::move(campaign)),
      walk_(campaign_.start.spec.rule) {}

Result<std::shared_ptr<CampaignLog>> CampaignLog::Open(const std::filesystem::path& path,
                                                       const std::string& id, Clock& clock) {
  auto store = CampaignStore::Open(path, clock, Database::Mode::kReadOnly);
  if (!store) return store.error();
  auto campaign = store->Find(id);
  if (!campaign) return campaign.error();
  return std::shared_ptr<CampaignLog>(
      new CampaignLog(std::move(*store), path, std::move(*campaign)));
}

Result<void> CampaignLog::Refresh(std::uint64_t ring) {
  const std::lock_guard lock(mutex_);
  if (is_done_ || (ring_ == ring && ring != 0)) return {};
  if (auto read = ReadAll(); !read) return read;
  ring_ = ring;
  return {};
}

// In this order: what a decision rests on was stored before it, and all decisions before the end.
Result<void> CampaignLog::ReadAll() {
  auto campaign = store_.Find(campaign_.id);
  if (!campaign) return campaign.error();
  campaign_ = std::move(*campaign);
  const auto decisions = store_.Decisions(campaign_.id, decisions_);
  if (!decisions) return decisions.error();
  if (auto read = ReadEvaluations(); !read) return read;
  for (const StoredDecision& decision : *decisions) walk_.Add(decision);
  decisions_ += decisions->size();
  is_done_ = campaign_.verdict.has_value();
  if (is_done_) walk_.Finish();
  walk_.Tell([this](const Happening& happening) { Tell(happening); });
  return {};
}

Result<void> CampaignLog::ReadEvaluations() {
  if (!evaluations_) {
    auto opened = EvaluationStore::Open(path_);
    if (!opened && opened.error().code == Errc::kNotFound) return {};
    if (!opened) return opened.error();
    evaluations_.emplace(std::move(*opened));
  }
  std::vector<HistoryBlock> blocks;
  const auto last = evaluations_->ForEachAfter(
      campaign_.id + "/", sequence_,
      [&](const Evaluation& evaluation, const Task& task) -> Result<void> {
        blocks.push_back(MakeBlock(campaign_.id, evaluation, task));
        return {};
      });
  if (!last) return last.error();
  sequence_ = *last;
  for (HistoryBlock& block : blocks) walk_.Add(std::move(block));
  return {};
}

void CampaignLog::Tell(const Happening& happening) {
  const std::uint64_t id = events_.size() + 1;
  switch (happening.kind) {
    case Happening::Kind::kBlock:
      events_.push_back(EventText("block", BlockJson(campaign_.start, *happening.block), id));
      return;
    case Happening::Kind::kTrial:
      events_.push_back(
          EventText("trial", TrialJson(campaign_.start, *happening.trial, happening.at), id));
      return;
    case Happening::Kind::kVerdict:
      events_.push_back(EventText("verdict", VerdictJson(*campaign_.verdict), id));
      return;
  }
}

CampaignLog::Page CampaignLog::After(std::uint64_t id, std::size_t most_bytes) const {
  const std::lock_guard lock(mutex_);
  Page page;
  page.last = id;
  while (page.last < events_.size() && page.text.size() < most_bytes) {
    page.text += events_[page.last++];
  }
  page.is_end = is_done_ && page.last >= events_.size();
  return page;
}

}  // namespace hone

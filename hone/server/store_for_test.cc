// SPDX-License-Identifier: Apache-2.0
#include "hone/server/store_for_test.h"

#include <utility>

#include "hone/core/check.h"
#include "hone/eval/sqlite/sqlite_queue.h"

namespace hone::server {

using namespace std::chrono_literals;

StoredStory::StoredStory(tune::CampaignHistory history)
    : folder_(*TempDir::Make()),
      path_(folder_.path() / "hone.db"),
      history_(std::move(history)),
      store_(*tune::CampaignStore::Open(path_, clock_)),
      queue_(*MakeSqliteQueue(path_, clock_)),
      id_(*store_.Create(history_.campaign.start)) {}

void StoredStory::StoreBlock(const tune::HistoryBlock& block) {
  Task task;
  task.id = id_ + "/" + block.name;
  task.domain = "toy";
  task.candidate = block.candidate;
  task.baseline = block.baseline;
  task.position = block.position;
  task.order.assign(static_cast<std::size_t>(block.runs), Arm::kCandidate);
  HONE_CHECK(queue_->Push(task));
  const auto claim = queue_->Take({"test", {}}, 60s, 0s);
  HONE_CHECK(claim && *claim);
  Evaluation evaluation = block.evaluation;
  evaluation.task = task.id;
  evaluation.provenance.generation = (*claim)->lease.generation;
  HONE_CHECK(queue_->Settle((*claim)->lease, evaluation));
}

bool StoredStory::Next() {
  const bool has_block = blocks_ < history_.blocks.size();
  const bool has_decision = decisions_ < history_.decisions.size();
  if (has_decision && (!has_block || history_.decisions[decisions_].at <=
                                         history_.blocks[blocks_].evaluation.provenance.started)) {
    HONE_CHECK(store_.Append(id_, decisions_, history_.decisions[decisions_].decision));
    ++decisions_;
    return true;
  }
  if (has_block) {
    StoreBlock(history_.blocks[blocks_++]);
    return true;
  }
  if (is_done_ || !history_.campaign.verdict) return false;
  is_done_ = true;
  HONE_CHECK(store_.Finish(id_, *history_.campaign.verdict));
  return true;
}

}  // namespace hone::server

// SPDX-License-Identifier: Apache-2.0
#include "hone/server/service/service_watch.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "hone/server/http/event_stream.h"
#include "hone/server/live/shown_items.h"
#include "hone/server/service/v1_records.h"

namespace hone::server {
namespace {

constexpr std::size_t kMaxSettled = 100;
constexpr std::size_t kMaxOpen = 25;  // The oldest, which run most likely; and the newest.

constexpr std::string_view kQueue = "queue";
constexpr std::string_view kWorker = "worker/";
constexpr std::string_view kBucket = "bucket/";
constexpr std::string_view kTask = "task/";

std::string Name(std::string_view kind, const std::string& name) {
  return std::string(kind) + name;
}

Json& ListFor(Json& data, std::string_view name) {
  if (name.starts_with(kWorker)) return data["workers"];
  return name.starts_with(kBucket) ? data["buckets"] : data["tasks"];
}

// Buckets that are over an hour old need no word.
std::string TellService(const VersionedMap::Changes& changes) {
  Json data{{"is_whole", changes.is_whole}};
  if (changes.is_whole) data["workers"] = data["buckets"] = data["tasks"] = Json::array();
  for (const auto& [name, value] : changes.items) {
    if (name == kQueue) {
      data["queue"] = value;
    } else {
      ListFor(data, name).push_back(value);
    }
  }
  for (const std::string& name : changes.gone) {
    if (name.starts_with(kWorker)) data["gone_workers"].push_back(name.substr(kWorker.size()));
    if (name.starts_with(kTask)) data["gone_tasks"].push_back(name.substr(kTask.size()));
  }
  return EventText("service", data);
}

// One task as the map has it: its line, and whose it is.
Json OwnedLine(const TaskView& view, std::optional<std::uint64_t> sequence) {
  return OwnedItem(TaskLine(view, sequence), view.task.submitter);
}

}  // namespace

ServiceWatch::ServiceWatch(Service& service, TimerQueue& timers, Post post)
    : service_(service),
      poller_(
          service.clock(), timers, std::move(post), [this] { return Look(); }, TellService) {
  service_.history().OnChange([this] { poller_.Call(); });
}

ServiceWatch::~ServiceWatch() { service_.history().OnChange(nullptr); }

HttpResponse ServiceWatch::Watch(const HttpRequest& request) {
  const auto shown = std::make_shared<ShownItems>(
      [asker = AskerOf(request)](const std::string& submitter) { return asker.Sees(submitter); });
  return poller_.Watch(
      request, [shown](const VersionedMap::Changes& changes) { return shown->Of(changes); });
}

Result<VersionedMap::Items> ServiceWatch::Look() {
  VersionedMap::Items items;
  const auto counts = service_.queue().Count();
  if (!counts) return counts.error();
  Json queue = QueueJson(*counts, service_.clock().Wall());
  queue.erase("waiting_by_priority");  // Ages change all the time; the levels have the times.
  items.emplace(kQueue, std::move(queue));
  if (auto added = AddWorkers(items); !added) return added.error();
  AddBuckets(items);
  AddOpen(items);
  if (auto added = AddSettled(items); !added) return added.error();
  return items;
}

Result<void> ServiceWatch::AddWorkers(VersionedMap::Items& items) {
  const auto workers = service_.queue().Workers();
  if (!workers) return workers.error();
  for (const WorkerCard& worker : *workers) items[Name(kWorker, worker.name)] = WorkerJson(worker);
  return {};
}

void ServiceWatch::AddBuckets(VersionedMap::Items& items) {
  // The last one that is known may not have been over.
  const auto from = buckets_.empty() ? 0 : buckets_.rbegin()->first;
  for (auto& [number, bucket] : service_.history().Buckets(from)) {
    buckets_[number] = std::move(bucket);
  }
  while (buckets_.size() > ServiceHistory::kMaxSteps) buckets_.erase(buckets_.begin());
  for (const auto& [number, bucket] : buckets_) {
    items[Name(kBucket, std::to_string(number))] = bucket;
  }
}

void ServiceWatch::AddOpen(VersionedMap::Items& items) {
  for (const auto end : {ServiceHistory::End::kNewest, ServiceHistory::End::kOldest}) {
    for (const TaskId& id : service_.history().Open(kMaxOpen, end)) {
      if (items.contains(Name(kTask, id))) continue;
      const auto view = service_.queue().Look(id);
      if (!view || view->state == TaskState::kSettled) continue;
      items[Name(kTask, id)] = OwnedLine(*view, std::nullopt);
    }
  }
}

Result<void> ServiceWatch::AddSettled(VersionedMap::Items& items) {
  const auto feed = service_.queue().SettledBefore(~std::uint64_t{0}, kMaxSettled);
  if (!feed) return feed.error();
  std::map<std::uint64_t, Json> lines;
  for (auto one = feed->rbegin(); one != feed->rend(); ++one) {
    auto known = settled_.find(one->sequence);
    if (known == settled_.end()) {
      const auto view = service_.queue().Look(one->task);
      if (!view || !view->settlement) continue;  // Forgotten, or begun anew.
      known = settled_.emplace(one->sequence, OwnedLine(*view, one->sequence)).first;
    }
    lines.insert(*known);
    items[Name(kTask, one->task)] = known->second;
  }
  settled_ = std::move(lines);
  return {};
}

}  // namespace hone::server

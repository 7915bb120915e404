// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "hone/base/json/json.h"
#include "hone/core/result.h"
#include "hone/server/live/shared_poller.h"
#include "hone/server/service/service.h"

namespace hone::server {

// The service as those see it who watch it: the queue, the workers, the last hour, the tasks that
// wait or run, and those settled last. What this server takes and what is settled is told at once;
// what workers and other servers do, within a second.
class ServiceWatch {
 public:
  // What is passed by reference outlives it.
  ServiceWatch(Service& service, TimerQueue& timers, Post post);
  ~ServiceWatch();

  SharedPoller& poller() { return poller_; }

  // A stream of it, with those tasks that the asker may see.
  HttpResponse Watch(const HttpRequest& request);

 private:
  Result<VersionedMap::Items> Look();
  Result<void> AddWorkers(VersionedMap::Items& items);
  Result<void> AddSettled(VersionedMap::Items& items);
  void AddOpen(VersionedMap::Items& items);
  void AddBuckets(VersionedMap::Items& items);

  Service& service_;
  // What does not change any more is looked up once. Only the thread of poller_ uses these.
  std::map<std::uint64_t, Json> settled_;           // The newest lines, by sequence.
  std::map<ServiceHistory::Number, Json> buckets_;  // Of the last hour.
  SharedPoller poller_;                             // Last, so that what it uses is there.
};

}  // namespace hone::server

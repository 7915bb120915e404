// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "hone/base/json.h"
#include "hone/core/result.h"
#include "hone/server/lookout.h"
#include "hone/server/service.h"

namespace hone {

// The service as those see it who watch it: the queue, the workers, the last hour, the tasks that
// wait or run, and those settled last. What this server takes and what is settled is told at once;
// what workers and other servers do, within a second.
class ServiceWatch {
 public:
  // What is passed by reference outlives it.
  ServiceWatch(Service& service, Alarms& alarms, Post post);
  ~ServiceWatch();

  Lookout& lookout() { return lookout_; }

 private:
  Result<Bulletin::Items> Look();
  Result<void> AddWorkers(Bulletin::Items& items);
  Result<void> AddSettled(Bulletin::Items& items);
  void AddOpen(Bulletin::Items& items);
  void AddBuckets(Bulletin::Items& items);

  Service& service_;
  // What does not change any more is looked up once. Only the thread of lookout_ uses these.
  std::map<std::uint64_t, Json> settled_;           // The newest lines, by sequence.
  std::map<ServiceHistory::Number, Json> buckets_;  // Of the last hour.
  Lookout lookout_;                                 // Last, so that what it uses is there.
};

}  // namespace hone

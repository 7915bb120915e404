// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "hone/base/clock.h"
#include "hone/base/json/json.h"
#include "hone/core/result.h"

namespace hone::server {

// KernelGYM's own workers, which register over HTTP and then look for work in KernelGYM's Redis
// lists. Here they are only remembered and shown: what evaluates for Hone is `hone worker`. Safe
// for concurrent use; bounded.
class ForeignWorkers {
 public:
  explicit ForeignWorkers(Clock& clock) : clock_(clock) {}

  struct Given {
    std::string worker;
    std::string device;  // Empty: not given.
    std::string node;
    std::string host;
  };

  // The node's id. kUnavailable if there are too many.
  Result<std::string> Register(const Given& given);
  bool Unregister(const std::string& worker);

  // kConflict: it is not known and gives no device, gives another than it registered with, or one
  // that another worker of its node has.
  Result<void> Beat(const Given& given);

  // kConflict: the name is bound to another host.
  Result<std::string> AllocateNode(const std::string& host, const std::string& name);

  Json ToJson();  // By worker.

 private:
  struct Worker {
    std::string device;
    std::string node;
    std::string host;
    WallTime beat;
  };

  void ForgetSilent();
  Result<void> CheckDevice(const std::string& worker, const std::string& device,
                           const std::string& node) const;

  Clock& clock_;
  std::mutex mutex_;
  std::map<std::string, Worker> workers_;     // Protected by mutex_.
  std::map<std::string, std::string> nodes_;  // Host by node; likewise.
};

}  // namespace hone::server

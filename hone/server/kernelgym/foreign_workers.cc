// SPDX-License-Identifier: Apache-2.0
#include "hone/server/kernelgym/foreign_workers.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "hone/base/json/records.h"

namespace hone::server {
namespace {

constexpr std::size_t kMax = 4096;
constexpr std::chrono::seconds kSilence{120};

Error TooMany() { return {Errc::kUnavailable, "too many workers or nodes are registered"}; }

}  // namespace

void ForeignWorkers::ForgetSilent() {
  const WallTime oldest = clock_.Wall() - kSilence;
  std::erase_if(workers_, [&](const auto& entry) { return entry.second.beat < oldest; });
}

Result<void> ForeignWorkers::CheckDevice(const std::string& worker, const std::string& device,
                                         const std::string& node) const {
  for (const auto& [name, other] : workers_) {
    if (name == worker || other.device != device || other.node != node || node.empty()) continue;
    return Error{Errc::kConflict,
                 fmt::format("device {} of node {} is used by worker {}", device, node, name)};
  }
  return {};
}

Result<std::string> ForeignWorkers::Register(const Given& given) {
  const std::lock_guard lock(mutex_);
  ForgetSilent();
  if (workers_.size() >= kMax && !workers_.contains(given.worker)) return TooMany();
  const std::string node = given.node.empty() ? given.host : given.node;
  workers_[given.worker] = {given.device, node, given.host, clock_.Wall()};
  return node;
}

bool ForeignWorkers::Unregister(const std::string& worker) {
  const std::lock_guard lock(mutex_);
  return workers_.erase(worker) > 0;
}

Result<void> ForeignWorkers::Beat(const Given& given) {
  const std::lock_guard lock(mutex_);
  ForgetSilent();
  const auto found = workers_.find(given.worker);
  if (found == workers_.end()) {
    if (given.device.empty()) {
      return Error{Errc::kConflict, fmt::format("worker {}: it is not known; register it, or give "
                                                "its device",
                                                given.worker)};
    }
    if (auto checked = CheckDevice(given.worker, given.device, given.node); !checked) {
      return checked;
    }
    if (workers_.size() >= kMax) return TooMany();
    workers_[given.worker] = {given.device, given.node, given.host, clock_.Wall()};
    return {};
  }
  Worker& worker = found->second;
  if (!given.device.empty() && given.device != worker.device) {
    return Error{Errc::kConflict, fmt::format("worker {}: it registered with device {}, not {}",
                                              given.worker, worker.device, given.device)};
  }
  worker.beat = clock_.Wall();
  return {};
}

Result<std::string> ForeignWorkers::AllocateNode(const std::string& host, const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (name.empty()) {
    const auto found = std::find_if(nodes_.begin(), nodes_.end(),
                                    [&](const auto& node) { return node.second == host; });
    if (found != nodes_.end()) return found->first;
  }
  const std::string id = name.empty() ? fmt::format("node-{}", nodes_.size() + 1) : name;
  const auto found = nodes_.find(id);
  if (found != nodes_.end() && found->second != host) {
    return Error{Errc::kConflict, fmt::format("node {}: it is host {}", id, found->second)};
  }
  if (found == nodes_.end() && nodes_.size() >= kMax) return TooMany();
  nodes_.emplace(id, host);
  return id;
}

Json ForeignWorkers::ToJson() {
  const std::lock_guard lock(mutex_);
  ForgetSilent();
  Json json = Json::object();
  for (const auto& [name, worker] : workers_) {
    json[name] = {{"device", worker.device},
                  {"status", "registered; takes no tasks of this server"},
                  {"last_heartbeat", IsoTime(worker.beat)},
                  {"node_id", worker.node},
                  {"hostname", worker.host}};
  }
  return json;
}

}  // namespace hone::server

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "hone/core/result.h"
#include "hone/core/task.h"
#include "hone/domains/domain.h"

namespace hone {

// The domains that workers use, each made once for its name and options and kept for a while: of
// those that nobody uses, the one used longest ago goes when there are too many. Safe for
// concurrent use.
class DomainCache {
 public:
  static constexpr std::size_t kMaxIdle = 64;

  explicit DomainCache(DomainTable table, std::size_t max = kMaxIdle)
      : table_(std::move(table)), max_(max) {}

  // Making one may take a while; only those who ask for the same one wait. One that could not be
  // made is tried again.
  Result<std::shared_ptr<Domain>> Get(const std::string& name, const Options& options);

  // Whether its options name files of this machine; false of an unknown one.
  bool ReadsHost(const std::string& name) const;

  std::size_t size() const;

 private:
  using Key = std::pair<std::string, Options>;
  struct Entry {
    std::shared_ptr<Domain> domain;  // Null while it is made.
    std::list<Key>::iterator use;
  };
  using Entries = std::map<Key, Entry>;

  Result<std::shared_ptr<Domain>> Make(const Key& key, Entries::iterator place,
                                       std::unique_lock<std::mutex>& lock);
  void GiveUp(Entries::iterator place);
  std::list<std::shared_ptr<Domain>> TakeSurplus();

  const DomainTable table_;
  const std::size_t max_;
  mutable std::mutex mutex_;
  std::condition_variable made_;
  Entries entries_;      // Protected by mutex_, as what follows.
  std::list<Key> uses_;  // The latest last.
};

}  // namespace hone

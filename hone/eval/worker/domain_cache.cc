// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/worker/domain_cache.h"

namespace hone {

Result<std::shared_ptr<Domain>> DomainCache::Get(const std::string& name, const Options& options) {
  const Key key(name, options);
  std::unique_lock lock(mutex_);
  while (true) {
    const auto place = entries_.find(key);
    if (place == entries_.end()) {
      const auto use = uses_.insert(uses_.end(), key);
      return Make(key, entries_.emplace(key, Entry{nullptr, use}).first, lock);
    }
    if (place->second.domain) {
      uses_.splice(uses_.end(), uses_, place->second.use);
      return place->second.domain;
    }
    made_.wait(lock);  // Somebody else makes it.
  }
}

bool DomainCache::ReadsHost(const std::string& name) const {
  const auto entry = table_.find(name);
  return entry != table_.end() && entry->second.reads_host;
}

std::size_t DomainCache::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

Result<std::shared_ptr<Domain>> DomainCache::Make(const Key& key, Entries::iterator place,
                                                  std::unique_lock<std::mutex>& lock) {
  lock.unlock();
  Result<std::unique_ptr<Domain>> made{nullptr};
  try {
    made = MakeDomain(table_, key.first, key.second);
  } catch (...) {  // Nobody shall wait for what is no longer made.
    lock.lock();
    GiveUp(place);
    throw;
  }
  lock.lock();
  if (!made) {
    GiveUp(place);
    return made.error();
  }
  std::shared_ptr<Domain> domain = std::move(*made);
  place->second.domain = domain;
  made_.notify_all();
  const auto surplus = TakeSurplus();
  lock.unlock();  // What is dropped may take a while to go.
  return domain;
}

void DomainCache::GiveUp(Entries::iterator place) {
  uses_.erase(place->second.use);
  entries_.erase(place);
  made_.notify_all();
}

std::list<std::shared_ptr<Domain>> DomainCache::TakeSurplus() {
  std::list<std::shared_ptr<Domain>> surplus;
  for (auto use = uses_.begin(); use != uses_.end() && entries_.size() > max_;) {
    const auto place = entries_.find(*use);
    const bool is_idle = place->second.domain && place->second.domain.use_count() == 1;
    if (!is_idle) {
      ++use;
      continue;
    }
    surplus.push_back(std::move(place->second.domain));
    entries_.erase(place);
    use = uses_.erase(use);
  }
  return surplus;
}

}  // namespace hone

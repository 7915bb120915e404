// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/kernel/snapshot.h"

#include <fnmatch.h>

#include <array>
#include <utility>

#include "hone/domains/sysctl/kernel/ethtool.h"

namespace hone::sysctl {
namespace {

constexpr const char* kSysctlRoot = "/proc/sys";

struct Volatile {
  const char* pattern;  // * matches slashes too.
  std::string_view why;
};

// Writable parameters whose text the kernel changes by itself. Read-only counters never come into
// a snapshot.
constexpr std::array kVolatile = {
    Volatile{"/proc/sys/kernel/ns_last_pid", "every new process moves it"},
    Volatile{"/proc/sys/kernel/random/*", "entropy and fresh identifiers"},
    Volatile{"/proc/sys/kernel/pty/nr", "counts open terminals"},
    Volatile{"/proc/sys/kernel/sched_domain/*", "rebuilt when processors come and go"},
    Volatile{"/proc/sys/kernel/perf_event_max_sample_rate", "lowered when sampling is slow"},
    Volatile{"/proc/sys/kernel/perf_cpu_time_max_percent", "adapts with the sample rate"},
    Volatile{"/proc/sys/fs/*-state", "counts open files, dentries, inodes"},
    Volatile{"/proc/sys/fs/*-nr", "counts open files and inodes"},
    Volatile{"/proc/sys/fs/quota/*", "quota statistics"},
    Volatile{"/proc/sys/fs/binfmt_misc/register", "an action, not a value"},
    Volatile{"/proc/sys/net/*_count", "counts what is in use"},
    Volatile{"/proc/sys/net/*/nf_log/*", "shows what is loaded"},
    Volatile{"/proc/sys/net/ipv6/conf/*/stable_secret", "shows a secret once it is set"},
    Volatile{"/proc/sys/vm/stat_refresh", "an action, not a value"},
    Volatile{"/sys/kernel/mm/ksm/*", "statistics beside the parameters"},
    Volatile{"/sys/block/*/queue/stat*", "statistics"},
    Volatile{"/sys/class/net/*/carrier", "the link's state"},
};

// Interfaces come and go with containers and namespaces, and their parameters with them.
bool IsOfAnInterface(const std::string& path) {
  return ::fnmatch("/proc/sys/net/*/conf/*", path.c_str(), 0) == 0 ||
         ::fnmatch("/proc/sys/net/*/neigh/*", path.c_str(), 0) == 0;
}

std::string FolderOf(const std::string& path) { return path.substr(0, path.rfind('/')); }

void AddOne(KernelFiles& files, const std::string& path,
            std::map<std::string, std::string>& texts) {
  if (!files.IsWritable(path)) return;
  auto text = files.Read(path);
  if (text) texts.emplace(path, std::move(*text));
}

void AddWritable(KernelFiles& files, const std::string& folder,
                 std::map<std::string, std::string>& texts) {
  const auto paths = files.FilesBelow(folder);
  if (!paths) return;
  for (const std::string& path : *paths) AddOne(files, path, texts);
}

}  // namespace

Snapshot Snapshot::Take(KernelFiles& files, const std::vector<std::string>& folders) {
  Snapshot snapshot;
  AddWritable(files, kSysctlRoot, snapshot.texts_);
  for (const std::string& folder : folders) AddWritable(files, folder, snapshot.texts_);
  return snapshot;
}

Snapshot Snapshot::TakeBeside(KernelFiles& files, const std::vector<std::string>& paths) {
  Snapshot snapshot;
  std::set<std::string> folders;
  for (const std::string& path : paths) {
    if (path.starts_with(kSysctlRoot)) folders.insert(FolderOf(path));
  }
  for (const std::string& folder : folders) {
    const auto below = files.FilesBelow(folder);
    if (!below) continue;
    for (const std::string& path : *below) {
      if (FolderOf(path) == folder) AddOne(files, path, snapshot.texts_);
    }
  }
  for (const std::string& folder : FoldersAround(paths)) {
    AddWritable(files, folder, snapshot.texts_);
  }
  return snapshot;
}

std::string_view WhyVolatile(std::string_view path) {
  const std::string text(path);
  for (const Volatile& entry : kVolatile) {
    if (::fnmatch(entry.pattern, text.c_str(), 0) == 0) return entry.why;
  }
  return "";
}

std::vector<Change> ChangesBetween(const Snapshot& before, const Snapshot& after,
                                   const std::set<std::string>& volatile_paths) {
  std::map<std::string, Change> changes;
  const auto note = [&](const std::string& path, const std::string& was, const std::string& is) {
    if (was == is || volatile_paths.contains(path) || !WhyVolatile(path).empty()) return;
    changes.emplace(path, Change{path, was, is});
  };
  for (const auto& [path, text] : before.texts()) {
    const auto now = after.texts().find(path);
    if (now != after.texts().end()) {
      note(path, text, now->second);
    } else if (!IsOfAnInterface(path)) {
      note(path, text, "");
    }
  }
  for (const auto& [path, text] : after.texts()) {
    if (!before.texts().contains(path) && !IsOfAnInterface(path)) note(path, "", text);
  }
  std::vector<Change> list;
  list.reserve(changes.size());
  for (auto& [path, change] : changes) list.push_back(std::move(change));
  return list;
}

std::vector<Change> ChangesBetween(const Snapshot& before, const Snapshot& after) {
  return ChangesBetween(before, after, {});
}

std::vector<std::string> FoldersAround(const std::vector<std::string>& paths) {
  std::set<std::string> folders;
  for (const std::string& path : paths) {
    if (path.starts_with("/sys/fs/cgroup/")) continue;  // Lists of what runs, and counts of it.
    if (path.starts_with("/sys/") || IsEthtoolPath(path)) folders.insert(FolderOf(path));
  }
  return {folders.begin(), folders.end()};
}

}  // namespace hone::sysctl

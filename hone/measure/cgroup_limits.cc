// SPDX-License-Identifier: Apache-2.0
#include "hone/measure/cgroup_limits.h"

#include <algorithm>
#include <functional>

#include "hone/base/file.h"
#include "hone/base/machine_text.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// Version 1 writes "no limit" as the largest multiple of the page size.
constexpr double kUnlimitedBytes = 9e18;

// One mounted hierarchy and our place in it.
struct Place {
  fs::path mount;
  fs::path group;  // Below the mount; shortened to what exists: a container may not see the rest.
};

std::optional<Place> FindPlace(const fs::path& mount, const std::optional<std::string>& path,
                               const char* file) {
  if (!path) return std::nullopt;
  fs::path group = fs::path(*path).relative_path();
  while (!ReadFile(mount / group / file)) {
    if (group.empty()) return std::nullopt;
    group = group.parent_path();
  }
  return Place{mount, group};
}

using Limit = std::function<std::optional<double>(const fs::path& group)>;

std::optional<double> Tightest(const Place& place, const Limit& limit) {
  std::optional<double> tightest;
  for (fs::path group = place.group;; group = group.parent_path()) {
    const auto here = limit(place.mount / group);
    if (here && (!tightest || *here < *tightest)) tightest = here;
    if (group.empty()) return tightest;
  }
}

std::optional<double> Tighter(std::optional<double> a, std::optional<double> b) {
  return a && b ? std::min(*a, *b) : (a ? a : b);
}

std::optional<double> ReadNumber(const fs::path& path) {
  const auto text = ReadFile(path);
  return text ? ParseFirstNumber(*text) : std::nullopt;
}

std::optional<double> CpusOfVersion1(const fs::path& group) {
  const auto quota = ReadNumber(group / "cpu.cfs_quota_us");
  const auto period = ReadNumber(group / "cpu.cfs_period_us");
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return *quota / *period;
}

std::optional<double> MemoryOfVersion1(const fs::path& group) {
  const auto bytes = ReadNumber(group / "memory.limit_in_bytes");
  return bytes && *bytes < kUnlimitedBytes ? bytes : std::nullopt;
}

std::optional<double> CpusOfVersion2(const fs::path& group) {
  const auto text = ReadFile(group / "cpu.max");
  return text ? ParseCpuMax(*text) : std::nullopt;
}

std::optional<double> MemoryOfVersion2(const fs::path& group) {
  return ReadNumber(group / "memory.max");  // "max" is not a number: no limit.
}

}  // namespace

CgroupLimits ReadCgroupLimits(const fs::path& root) {
  CgroupLimits limits;
  const auto groups = ReadFile(root / "proc/self/cgroup");
  if (!groups) return limits;
  limits.is_readable = true;
  const fs::path mounts = root / "sys/fs/cgroup";
  auto unified = FindPlace(mounts, FindCgroup(*groups, ""), "cgroup.controllers");
  if (!unified) {
    unified = FindPlace(mounts / "unified", FindCgroup(*groups, ""), "cgroup.controllers");
  }
  if (unified) {
    limits.cpus = Tightest(*unified, CpusOfVersion2);
    limits.memory_bytes = Tightest(*unified, MemoryOfVersion2);
    limits.cpu_stat = unified->mount / unified->group / "cpu.stat";
  }
  const auto cpu = FindPlace(mounts / "cpu", FindCgroup(*groups, "cpu"), "cpu.cfs_quota_us");
  if (cpu) {
    limits.cpus = Tighter(limits.cpus, Tightest(*cpu, CpusOfVersion1));
    limits.cpu_stat = cpu->mount / cpu->group / "cpu.stat";
  }
  const auto memory =
      FindPlace(mounts / "memory", FindCgroup(*groups, "memory"), "memory.limit_in_bytes");
  if (memory) {
    limits.memory_bytes = Tighter(limits.memory_bytes, Tightest(*memory, MemoryOfVersion1));
  }
  const bool is_old = cpu || memory;
  limits.versions = unified ? (is_old ? "1 and 2" : "2") : (is_old ? "1" : "none");
  return limits;
}

}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
#include "hone/sandbox/control_group.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <system_error>
#include <thread>
#include <utility>

#include "hone/base/errno_error.h"
#include "hone/base/file.h"

namespace hone {
namespace {

using PlacesByController = std::map<std::string, GroupPlaces::Place>;
using std::filesystem::path;

constexpr std::int64_t kPeriodUs = 100'000;

// The kernel wants each value in one write.
Result<void> Write(const path& file, const std::string& value) {
  const Descriptor open(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  if (!open.is_open()) return ErrnoError(file.native(), errno);
  if (::write(open.get(), value.data(), value.size()) < 0) return ErrnoError(file.native(), errno);
  return {};
}

// The number behind `key`, or the whole file if there is no key; 0 if it cannot be read.
std::int64_t Number(const path& file, std::string_view key = {}) {
  const auto text = ReadFile(file);
  if (!text) return 0;
  std::string_view rest = *text;
  while (!key.empty() && !rest.empty()) {
    if (rest.starts_with(key) && rest.size() > key.size() && rest[key.size()] == ' ') {
      rest.remove_prefix(key.size() + 1);
      break;
    }
    rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
  }
  std::int64_t number = 0;
  std::from_chars(rest.data(), rest.data() + rest.size(), number);
  return number;
}

// The last process may be a moment in leaving.
void Remove(const path& folder) {
  for (int round = 0; round < 50; ++round) {
    if (::rmdir(folder.c_str()) == 0 || errno != EBUSY) return;
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
  }
}

class Folders {
 public:
  Folders() = default;
  Folders(const Folders&) = delete;
  Folders& operator=(const Folders&) = delete;
  ~Folders() {
    for (const auto& [controller, folder] : folders_) Remove(folder);
  }

  Result<void> Make(const std::string& controller, const path& folder) {
    if (::mkdir(folder.c_str(), 0755) != 0) return ErrnoError(folder.native(), errno);
    folders_[controller] = folder;
    return {};
  }

  bool Has(const std::string& controller) const { return folders_.contains(controller); }
  path File(const std::string& controller, const char* name) const {
    const auto found = folders_.find(controller);
    return found == folders_.end() ? path() : found->second / name;
  }
  const std::map<std::string, path>& all() const { return folders_; }

 private:
  std::map<std::string, path> folders_;
};

class GroupOne final : public ControlGroup {
 public:
  static Result<std::unique_ptr<ControlGroup>> Make(const PlacesByController& homes,
                                                    const std::string& name,
                                                    const GroupLimits& limits) {
    auto group = std::make_unique<GroupOne>();
    for (const auto& [controller, home] : homes) {
      if (controller == "cpu" && limits.cpus == 0) continue;
      if (auto made = group->folders_.Make(controller, home.folder / name); !made) {
        return made.error();
      }
    }
    if (auto set = group->SetLimits(limits); !set) return set.error();
    return std::unique_ptr<ControlGroup>(std::move(group));
  }

  Result<void> EnterThread() override {
    for (const auto& [controller, folder] : folders_.all()) {
      if (auto entered = Write(folder / "tasks", "0"); !entered) return entered;
    }
    return {};
  }

  void LeaveThread() override {
    if (!folders_.Has("pids")) return;
    static_cast<void>(Write(folders_.File("pids", "..") / "tasks", "0"));
  }

  int clone_into() const override { return -1; }

  GroupFigures Read() const override {
    return {Number(folders_.File("memory", "memory.oom_control"), "oom_kill"),
            HasReachedLimit() ? 1 : 0, Number(folders_.File("pids", "pids.events"), "max"),
            static_cast<int>(Number(folders_.File("pids", "pids.current")))};
  }

 private:
  // Version 1 does not count kills for the own limit apart, and newer kernels not how often that
  // was in the way. Memory comes in pages of up to 2 MiB.
  bool HasReachedLimit() const {
    constexpr std::int64_t kPage = 2 << 20;
    const auto number = [&](const char* name) { return Number(folders_.File("memory", name)); };
    return number("memory.max_usage_in_bytes") + kPage >= number("memory.limit_in_bytes");
  }

  Result<void> SetLimits(const GroupLimits& limits) {
    if (folders_.Has("memory")) {
      const std::string max = std::to_string(limits.memory_bytes);
      auto set = Write(folders_.File("memory", "memory.limit_in_bytes"), max);
      if (!set) return set;
      const path with_swap = folders_.File("memory", "memory.memsw.limit_in_bytes");
      if (std::filesystem::exists(with_swap)) set = Write(with_swap, max);
      if (!set) return set;
    }
    if (folders_.Has("pids")) {
      auto set = Write(folders_.File("pids", "pids.max"), std::to_string(limits.processes));
      if (!set) return set;
    }
    if (folders_.Has("cpu")) {
      auto set = Write(folders_.File("cpu", "cpu.cfs_period_us"), std::to_string(kPeriodUs));
      if (!set) return set;
      const auto quota = std::max<std::int64_t>(1000, std::llround(limits.cpus * kPeriodUs));
      return Write(folders_.File("cpu", "cpu.cfs_quota_us"), std::to_string(quota));
    }
    return {};
  }

  Folders folders_;
};

// One folder for all controllers.
class GroupTwo final : public ControlGroup {
 public:
  static Result<std::unique_ptr<ControlGroup>> Make(const PlacesByController& homes,
                                                    const std::string& name,
                                                    const GroupLimits& limits) {
    auto group = std::make_unique<GroupTwo>();
    const path folder = homes.begin()->second.folder / name;
    if (auto made = group->folders_.Make("all", folder); !made) return made.error();
    group->folder_ = folder;
    group->entry_ = Descriptor(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!group->entry_.is_open()) return ErrnoError(folder.native(), errno);
    if (auto set = group->SetLimits(homes, limits); !set) return set.error();
    return std::unique_ptr<ControlGroup>(std::move(group));
  }

  Result<void> EnterThread() override { return {}; }
  void LeaveThread() override {}
  int clone_into() const override { return entry_.get(); }

  GroupFigures Read() const override {
    return {Number(folder_ / "memory.events", "oom_kill"), Number(folder_ / "memory.events", "oom"),
            Number(folder_ / "pids.events", "max"),
            static_cast<int>(Number(folder_ / "pids.current"))};
  }

 private:
  Result<void> SetLimits(const PlacesByController& homes, const GroupLimits& limits) {
    if (homes.contains("memory")) {
      auto set = Write(folder_ / "memory.max", std::to_string(limits.memory_bytes));
      if (!set) return set;
      const path swap = folder_ / "memory.swap.max";
      if (std::filesystem::exists(swap)) set = Write(swap, "0");
      if (!set) return set;
    }
    if (homes.contains("pids")) {
      auto set = Write(folder_ / "pids.max", std::to_string(limits.processes));
      if (!set) return set;
    }
    if (homes.contains("cpu") && limits.cpus > 0) {
      const auto quota = std::max<std::int64_t>(1000, std::llround(limits.cpus * kPeriodUs));
      return Write(folder_ / "cpu.max", fmt::format("{} {}", quota, kPeriodUs));
    }
    return {};
  }

  path folder_;
  Descriptor entry_;
  Folders folders_;
};

}  // namespace

Result<std::unique_ptr<ControlGroup>> MakeControlGroupIn(const PlacesByController& homes,
                                                         const std::string& name,
                                                         const GroupLimits& limits) {
  const bool is_second = !homes.empty() && homes.begin()->second.version == 2;
  return is_second ? GroupTwo::Make(homes, name, limits) : GroupOne::Make(homes, name, limits);
}

}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
// Where this process makes its control groups, and what killed ones left there.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <sstream>
#include <system_error>
#include <utility>

#include "hone/base/errno_error.h"
#include "hone/base/file.h"
#include "hone/sandbox/control_group.h"

namespace hone {
namespace {

using std::filesystem::path;

constexpr std::array kControllers{"memory", "pids", "cpu"};
constexpr const char* kHomePrefix = "hone-sandbox-";

struct Mount {
  path root;
  path at;
  std::string kind;     // "cgroup" or "cgroup2".
  std::string options;  // Of version 1: its controllers among them.
};

bool HasWord(std::string_view list, std::string_view word, char between) {
  while (true) {
    const auto end = std::min(list.find(between), list.size());
    if (list.substr(0, end) == word) return true;
    if (end == list.size()) return false;
    list.remove_prefix(end + 1);
  }
}

// mountinfo: id parent device root mountpoint options [tags…] - kind source options.
std::vector<Mount> GroupMounts(std::string_view text) {
  std::vector<Mount> mounts;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string skipped;
    Mount mount;
    std::string root;
    std::string at;
    words >> skipped >> skipped >> skipped >> root >> at;
    while (words >> skipped && skipped != "-") {
    }
    words >> mount.kind >> skipped >> mount.options;
    mount.root = root;
    mount.at = at;
    if (mount.kind == "cgroup" || mount.kind == "cgroup2") mounts.push_back(std::move(mount));
  }
  return mounts;
}

// "4:memory:/a/b" for version 1, "0::/a/b" for version 2.
std::string OwnPath(std::string_view text, std::string_view controller) {
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::string names = line.substr(first + 1, second - first - 1);
    const bool is_it = controller.empty() ? names.empty() : HasWord(names, controller, ',');
    if (is_it) return line.substr(second + 1);
  }
  return "/";
}

path FolderOf(const Mount& mount, const std::string& own) {
  const path inside = path(own).lexically_relative(mount.root);
  const path folder = (mount.at / inside).lexically_normal();
  std::error_code failed;
  const bool is_there = *inside.begin() != ".." && std::filesystem::is_directory(folder, failed);
  return is_there ? folder : mount.at;
}

bool Offers(const path& folder, const char* file, const std::string& controller) {
  auto text = ReadFile(folder / file);
  if (!text) return false;
  while (!text->empty() && text->back() == '\n') text->pop_back();
  return HasWord(*text, controller, ' ');
}

// The nearest group from ours upwards that hands the controller on, or can be told to.
std::optional<path> PlaceInTwo(const Mount& mount, const std::string& own,
                               const std::string& controller) {
  for (path folder = FolderOf(mount, own);; folder = folder.parent_path()) {
    if (Offers(folder, "cgroup.controllers", controller)) {
      const Descriptor file(
          ::open((folder / "cgroup.subtree_control").c_str(), O_WRONLY | O_CLOEXEC));
      const std::string command = "+" + controller;
      if (Offers(folder, "cgroup.subtree_control", controller) ||
          (file.is_open() && ::write(file.get(), command.data(), command.size()) > 0)) {
        return folder;
      }
    }
    if (folder == mount.at || !folder.has_relative_path()) return std::nullopt;
  }
}

}  // namespace

GroupPlaces FindGroupPlaces(std::string_view mounts_text, std::string_view own_text) {
  GroupPlaces found;
  const std::vector<Mount> mounts = GroupMounts(mounts_text);
  for (const std::string controller : kControllers) {
    found.missing[controller] =
        mounts.empty() ? "no control groups are mounted" : "no mounted control groups can limit it";
    for (const Mount& mount : mounts) {
      if (mount.kind == "cgroup" && HasWord(mount.options, controller, ',')) {
        found.places[controller] = {FolderOf(mount, OwnPath(own_text, controller)), 1};
      } else if (mount.kind == "cgroup2" && !found.places.contains(controller)) {
        const auto place = PlaceInTwo(mount, OwnPath(own_text, ""), controller);
        if (place) found.places[controller] = {*place, 2};
      }
    }
    if (found.places.contains(controller)) found.missing.erase(controller);
  }
  return found;
}

namespace {

// Empties and removes the folder of a process. Groups in it have no processes, or cannot be
// removed.
void RemoveHome(const path& home) {
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(home, failed)) {
    if (entry.is_directory(failed)) ::rmdir(entry.path().c_str());
  }
  ::rmdir(home.c_str());
}

Descriptor OpenLocked(const path& folder, int how) {
  Descriptor open(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (open.is_open() && ::flock(open.get(), how) != 0) open.Close();
  return open;
}

// A home is locked as long as its process lives, however that ends.
void SweepPlace(const path& place) {
  std::error_code failed;
  std::vector<path> homes;
  for (const auto& entry : std::filesystem::directory_iterator(place, failed)) {
    if (entry.path().filename().native().starts_with(kHomePrefix)) homes.push_back(entry.path());
  }
  for (const path& home : homes) {
    if (OpenLocked(home, LOCK_EX | LOCK_NB).is_open()) RemoveHome(home);
  }
}

// A process that was killed may have been in another group than ours: in those beside it, too.
void SweepBeside(const path& place) {
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(place.parent_path(), failed)) {
    if (!entry.is_directory(failed) || entry.path() == place) continue;
    const Descriptor turn = OpenLocked(entry.path(), LOCK_EX | LOCK_NB);
    if (turn.is_open()) SweepPlace(entry.path());
  }
}

// The homes of this process, one in each place.
class OurHomes {
 public:
  OurHomes() : pid_(::getpid()) {
    const auto mounts = ReadFile("/proc/self/mountinfo");
    const auto own = ReadFile("/proc/self/cgroup");
    if (!mounts || !own) {
      for (const char* controller : kControllers) {
        found_.missing[controller] = "/proc cannot be read";
      }
      return;
    }
    found_ = FindGroupPlaces(*mounts, *own);
    PreferOneVersion();
    const auto places = found_.places;
    for (const auto& [controller, place] : places) MakeHome(controller, place);
  }
  OurHomes(const OurHomes&) = delete;
  OurHomes& operator=(const OurHomes&) = delete;
  ~OurHomes() = default;

  // What somebody still uses stays, for the next process that looks.
  void Remove() const {
    if (pid_ != ::getpid()) return;
    for (const auto& [folder, lock] : locks_) RemoveHome(folder);
  }

  pid_t pid() const { return pid_; }
  const GroupPlaces& found() const { return found_; }  // With the homes as folders.

 private:
  // A hybrid host may have some controllers in each; a group is of one version.
  void PreferOneVersion() {
    const auto memory = found_.places.find("memory");
    const int version = memory == found_.places.end() ? 1 : memory->second.version;
    std::erase_if(found_.places, [&](const auto& entry) {
      const bool is_other = entry.second.version != version;
      if (is_other) found_.missing[entry.first] = "it is in the other version of control groups";
      return is_other;
    });
  }

  void MakeHome(const std::string& controller, const GroupPlaces::Place& place) {
    const path home = place.folder / fmt::format("{}{}", kHomePrefix, pid_);
    const auto give_up = [&](int number) {
      found_.places.erase(controller);
      found_.missing[controller] = ErrnoError(home.native(), number).message;
    };
    if (!locks_.contains(home)) {
      // Nobody sweeps between the making and the locking.
      const Descriptor turn = OpenLocked(place.folder, LOCK_EX);
      SweepPlace(place.folder);
      if (::access((place.folder.parent_path() / "cgroup.procs").c_str(), F_OK) == 0) {
        SweepBeside(place.folder);
      }
      if (::mkdir(home.c_str(), 0755) != 0) return give_up(errno);
      Descriptor lock = OpenLocked(home, LOCK_EX | LOCK_NB);
      if (!lock.is_open()) return give_up(errno);
      locks_.emplace(home, std::move(lock));
    }
    if (place.version == 2) {
      const Descriptor file(
          ::open((home / "cgroup.subtree_control").c_str(), O_WRONLY | O_CLOEXEC));
      const std::string command = "+" + controller;
      if (!file.is_open() || ::write(file.get(), command.data(), command.size()) < 0) {
        return give_up(errno);
      }
    }
    found_.places[controller].folder = home;
  }

  pid_t pid_;
  GroupPlaces found_;
  std::map<path, Descriptor> locks_;
};

// A forked child finds places of its own: it outlives us, or dies before us. Never destroyed:
// threads that start sandboxes may end after the statics do.
const OurHomes& ControlGroupPlacesHomes() {
  static auto& mutex = *new std::mutex;
  static OurHomes* homes = nullptr;
  static const struct AtExit {
    ~AtExit() {
      const std::lock_guard lock(mutex);
      if (homes != nullptr) homes->Remove();
    }
  } at_exit;
  const std::lock_guard lock(mutex);
  if (homes == nullptr || homes->pid() != ::getpid()) homes = new OurHomes;
  return *homes;
}

}  // namespace

const GroupPlaces& OurGroupPlaces() { return ControlGroupPlacesHomes().found(); }

Result<std::unique_ptr<ControlGroup>> MakeControlGroup(const GroupLimits& limits) {
  static std::atomic<std::uint64_t> next{0};
  return MakeControlGroupIn(OurGroupPlaces().places, std::to_string(next++), limits);
}

}  // namespace hone

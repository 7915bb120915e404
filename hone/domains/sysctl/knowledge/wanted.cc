// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/knowledge/wanted.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "hone/domains/sysctl/kernel/control_groups.h"
#include "hone/domains/sysctl/kernel/ethtool.h"
#include "hone/domains/sysctl/kernel/parameter_path.h"
#include "hone/domains/sysctl/knowledge/known_file.h"
#include "hone/domains/sysctl/knowledge/path_pattern.h"

namespace hone::sysctl {
namespace {

Error Refused(Errc code, const std::string& name, const std::string& why) {
  return Error{code, fmt::format("{}: {}", name, why)};
}

bool Exists(KernelFiles& files, const std::string& path) {
  const auto text = files.ReadRaw(path);
  return text || text.error().code != Errc::kNotFound;
}

std::vector<std::string> PathsOf(KernelFiles& files, const std::string& form) {
  if (!IsPattern(form)) {
    return Exists(files, form) ? std::vector<std::string>{form} : std::vector<std::string>{};
  }
  auto paths = files.Match(form);
  return paths ? std::move(*paths) : std::vector<std::string>{};
}

// An interrupt that no driver has asked for, or that the kernel places by itself.
bool IsFixedInterrupt(KernelFiles& files, const std::string& path) {
  const auto stars = MatchPattern("/proc/irq/*/*", path);
  if (!stars) return false;
  const auto actions = files.Read(fmt::format("/sys/kernel/irq/{}/actions", stars->front()));
  return (actions && actions->empty()) || !files.IsWritable(path);
}

// Devices that are there but that nobody tunes: not set up, made of memory, or without this.
bool MakesNoSense(KernelFiles& files, const std::string& path) {
  if (!files.Read(path) || IsFixedInterrupt(files, path)) return true;
  const auto block = MatchPattern("/sys/block/*/queue/*", path);
  const auto child = block ? block : MatchPattern("/sys/block/*/queue/iosched/*", path);
  if (child) {
    const std::string& device = child->front();
    if (device.starts_with("loop") || device.starts_with("ram") || device.starts_with("sr")) {
      return true;
    }
    const auto size = files.Read(fmt::format("/sys/block/{}/size", device));
    return size && *size == "0";
  }
  for (const std::string_view root : {"/sys/class/net/", "/ethtool/"}) {
    if (!path.starts_with(root)) continue;
    const std::string device = path.substr(root.size(), path.find('/', root.size()) - root.size());
    return device == "lo" || device.starts_with("ifb") || device.starts_with("dummy");
  }
  return false;
}

std::string DeviceOf(const ParameterFacts& facts, const std::string& path) {
  for (const std::string& form : FormsOf(facts)) {
    const auto stars = MatchPattern(form, path);
    if (stars && !stars->empty()) return stars->front();
  }
  return path;
}

bool IsBelow(const std::string& path, std::string_view folder) { return path.starts_with(folder); }

std::vector<std::string> DevicesWith(KernelFiles& files, const ParameterFacts& facts) {
  std::vector<std::string> devices;
  for (const std::string& path : PathsOf(files, PathOfName(facts.name))) {
    std::string device = DeviceOf(facts, path);
    const bool is_known = std::find(devices.begin(), devices.end(), device) != devices.end();
    if (!is_known && files.Read(path)) devices.push_back(std::move(device));
  }
  return devices;
}

std::string VersionsOf(const ParameterFacts& facts) {
  if (!facts.since.empty()) return fmt::format("; it is there since Linux {}", facts.since);
  if (!facts.until.empty()) return fmt::format("; it was there until Linux {}", facts.until);
  if (IsPattern(facts.name)) return "; no device here has it";
  return "; the feature or module behind it is not there";
}

class WantedSearch {
 public:
  WantedSearch(KernelFiles& files, const Knowledge& knowledge, Place place)
      : files_(files), knowledge_(knowledge), place_(place) {}

  Result<WantedSet> Run(const std::vector<ParameterRequest>& requests) {
    for (const bool is_child : {false, true}) {
      for (const ParameterRequest& request : requests) {
        if (auto added = Add(request, is_child); !added) return added.error();
      }
    }
    if (auto checked = CheckTwins(); !checked) return checked.error();
    return std::move(set_);
  }

 private:
  // Children come in a second round, when it is known which parents are wanted.
  Result<void> Add(const ParameterRequest& request, bool is_child) {
    const auto asked = ParameterPath::Of(request.name);
    if (!asked) return asked.error();
    const ParameterFacts* facts = knowledge_.Find(asked->text());
    const bool is_conditional = facts != nullptr && facts->condition.has_value();
    if (is_conditional != is_child) return {};
    if (facts == nullptr) return AddUnknown(request, *asked);
    if (auto allowed = CheckAllowed(request, *facts); !allowed) return allowed;
    if (facts->scope == Scope::kGroup && IsPattern(PathOfName(request.name))) {
      return Refused(Errc::kInvalidArgument, request.name,
                     "every control group has its own; name one, as in "
                     "cgroup:nginx.service/cpu.weight");
    }
    const PathsHere here = FindPaths(files_, *facts, request.name);
    NoteSkipped(*facts, here.skipped);
    const std::size_t before = set_.wanted.size();
    for (const std::string& path : here.paths) {
      if (auto added = AddPath({&request, facts, path, ParentOf(*facts, path), true}); !added) {
        return added;
      }
    }
    if (is_child) AddComing(request, *facts);
    if (set_.wanted.size() > before || !here.skipped.empty()) return {};
    return Absent(request, *facts);
  }

  Result<void> CheckAllowed(const ParameterRequest& request, const ParameterFacts& facts) const {
    if (facts.risk == Risk::kDenied) {
      return Refused(Errc::kInvalidArgument, request.name, "it is never tuned. " + facts.caution);
    }
    if (facts.risk == Risk::kLinkReset && !request.is_disruption_allowed) {
      return Refused(Errc::kInvalidArgument, request.name,
                     "changing it may take the network link down for a moment, and break "
                     "connections over it, yours too if you came that way; --allow-disruptive "
                     "allows that");
    }
    if (place_ == Place::kHost || facts.scope == Scope::kNetwork) return {};
    const char* const why = facts.scope == Scope::kNetworkReadOnly
                                ? "a private network namespace sees it but cannot change it; tune "
                                  "the host, or leave it out"
                                : "it belongs to the whole machine, not to a private network "
                                  "namespace; tune the host, or leave it out";
    return Refused(Errc::kInvalidArgument, request.name, why);
  }

  // Every path comes by here, also those that a pattern stands for.
  Result<void> AddPath(Wanted wanted) {
    const auto path = ParameterPath::Of(wanted.path);
    if (!path) return path.error();
    const auto behind = FactsOfFile(files_, knowledge_, *path);
    if (!behind) return behind.error();
    if (*behind != nullptr) {
      if (auto allowed = CheckAllowed(*wanted.request, **behind); !allowed) return allowed;
    }
    for (const Wanted& other : set_.wanted) {
      if (other.path != wanted.path) continue;
      const std::string also =
          other.request->name == wanted.request->name
              ? ""
              : fmt::format(" (as {} and as {})", other.request->name, wanted.request->name);
      return Refused(Errc::kInvalidArgument, NameOfPath(wanted.path),
                     "it is asked for twice" + also);
    }
    if (wanted.is_there_now && !files_.IsWritable(wanted.path)) {
      return Refused(Errc::kUnsupported, NameOfPath(wanted.path), WhyNotWritable(wanted.path));
    }
    set_.wanted.push_back(std::move(wanted));
    return {};
  }

  const char* WhyNotWritable(const std::string& path) const {
    if (place_ != Place::kHost) return "it cannot be written in this network namespace";
    const bool may_be_fixed = IsEthtoolPath(path) || IsBelow(path, "/proc/irq/");
    return may_be_fixed ? "the device does not let it be changed, or hone is not run as root"
                        : "it cannot be written here; run hone as root";
  }

  Result<void> AddUnknown(const ParameterRequest& request, const ParameterPath& asked) {
    if (!request.is_unknown_allowed) return NotKnown(request);
    const std::string& path = asked.text();
    const bool is_network = IsBelow(path, "/proc/sys/net/");
    if (IsPattern(path)) {
      return Refused(Errc::kInvalidArgument, request.name,
                     "a pattern is only for parameters that are known; name each device");
    }
    if (!request.range) {
      return Refused(Errc::kInvalidArgument, request.name,
                     "nothing is known of it, so its range must be given");
    }
    if (place_ == Place::kNamespace && !is_network) {
      return Refused(Errc::kInvalidArgument, request.name,
                     "it belongs to the whole machine, not to a private network namespace; tune "
                     "the host, or leave it out");
    }
    if (!Exists(files_, path)) {
      return Refused(Errc::kNotFound, request.name, "this kernel does not have it");
    }
    return AddPath({&request, nullptr, path, "", true});
  }

  Error NotKnown(const ParameterRequest& request) const {
    const auto like = knowledge_.Like(request.name);
    const std::string guess =
        like.empty() ? "" : fmt::format(" did you mean {}?", fmt::join(like, ", "));
    return Refused(Errc::kInvalidArgument, request.name,
                   fmt::format("not a known parameter;{} hone sysctl list shows the known ones, "
                               "and --allow-unknown takes another with a range of your own",
                               guess));
  }

  std::string ParentOf(const ParameterFacts& facts, const std::string& path) const {
    if (!facts.condition) return "";
    const std::string parent =
        FillPattern(PathOfName(facts.condition->parent), {DeviceOf(facts, path)});
    const bool is_wanted = std::any_of(set_.wanted.begin(), set_.wanted.end(),
                                       [&](const Wanted& w) { return w.path == parent; });
    return is_wanted ? parent : "";
  }

  // Children that are not there now, of parents that the search may change.
  void AddComing(const ParameterRequest& request, const ParameterFacts& facts) {
    const std::string form = PathOfName(facts.name);
    const std::vector<Wanted> known = set_.wanted;
    for (const Wanted& parent : known) {
      const auto stars = MatchPattern(PathOfName(facts.condition->parent), parent.path);
      if (!stars) continue;
      const std::string path = FillPattern(form, *stars);
      if (!MatchPattern(PathOfName(request.name), path) || Exists(files_, path)) continue;
      set_.wanted.push_back({&request, &facts, path, parent.path, false});
    }
  }

  Error Absent(const ParameterRequest& request, const ParameterFacts& facts) {
    if (facts.condition) {
      std::vector<std::string> values;
      values.reserve(facts.condition->values.size());
      for (const Value& value : facts.condition->values) values.push_back(ToText(value));
      return Refused(Errc::kNotFound, request.name,
                     fmt::format("it is there only while {} is {}; ask for that one too",
                                 facts.condition->parent, fmt::join(values, " or ")));
    }
    if (facts.scope == Scope::kGroup) {
      return Refused(Errc::kNotFound, request.name, WhyNoControl(files_, PathOfName(request.name)));
    }
    if (const auto devices = DevicesWith(files_, facts); !devices.empty()) {
      return Refused(Errc::kNotFound, request.name,
                     fmt::format("there is no such device, or it does not have this; name one "
                                 "that has it here: {}",
                                 fmt::join(devices, ", ")));
    }
    const auto release = files_.Read("/proc/sys/kernel/osrelease");
    return Refused(Errc::kNotFound, request.name,
                   fmt::format("this kernel{} does not have it{}",
                               release ? fmt::format(" ({})", *release) : "", VersionsOf(facts)));
  }

  void NoteSkipped(const ParameterFacts& facts, const std::vector<std::string>& skipped) {
    if (skipped.empty()) return;
    set_.notes.push_back(
        fmt::format("{}: left out on {}: not set up, not a real device, or "
                    "without this",
                    facts.name, fmt::join(skipped, ", ")));
  }

  Result<void> CheckTwins() const {
    for (const Wanted& one : set_.wanted) {
      if (one.facts == nullptr || one.facts->twin.empty()) continue;
      for (const Wanted& other : set_.wanted) {
        if (other.facts == nullptr || other.facts->name != one.facts->twin) continue;
        return Error{Errc::kInvalidArgument,
                     fmt::format("{} and {}: setting one switches the other off; ask for one of "
                                 "them",
                                 one.facts->name, other.facts->name)};
      }
    }
    return {};
  }

  KernelFiles& files_;
  const Knowledge& knowledge_;
  Place place_;
  WantedSet set_;
};

}  // namespace

PathsHere FindPaths(KernelFiles& files, const ParameterFacts& facts, const std::string& name) {
  const std::string asked = PathOfName(name);
  std::vector<std::string> stars;  // The devices that were asked for: "vda", "nvme*", "*".
  for (const std::string& form : FormsOf(facts)) {
    if (auto matched = MatchPattern(form, asked)) stars = std::move(*matched);
  }
  PathsHere here;
  for (const std::string& form : FormsOf(facts)) {
    const std::string filled = FillPattern(form, stars);
    if (facts.scope == Scope::kGroup && IsPattern(filled)) continue;  // Nobody means all groups.
    for (std::string& path : PathsOf(files, filled)) {
      if (IsPattern(filled) && MakesNoSense(files, path)) {
        here.skipped.push_back(DeviceOf(facts, path));
      } else {
        here.paths.push_back(std::move(path));
      }
    }
    if (!here.paths.empty()) break;
  }
  return here;
}

Result<WantedSet> FindWanted(KernelFiles& files, const Knowledge& knowledge,
                             const std::vector<ParameterRequest>& requests, Place place) {
  return WantedSearch(files, knowledge, place).Run(requests);
}

}  // namespace hone::sysctl

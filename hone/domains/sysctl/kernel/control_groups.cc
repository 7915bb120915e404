// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/kernel/control_groups.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

namespace hone::sysctl {
namespace {

constexpr std::string_view kGroupRoot = "/sys/fs/cgroup/";
constexpr std::string_view kGroupPrefix = "cgroup:";
constexpr std::string_view kProcesses = "/cgroup.procs";

// Files with several values. `has_devices`: a line for each device, with keys.
struct ManyValued {
  std::string_view file;
  bool has_devices;
};
constexpr std::array kManyValued{ManyValued{"/io.max/", true}, ManyValued{"/io.weight/", false},
                                 ManyValued{"/io.bfq.weight/", false}};

struct Property {
  std::string_view control;
  std::string_view name;
  bool names_device;
};
constexpr std::array kProperties{
    Property{"cpu.weight", "CPUWeight", false},   Property{"memory.high", "MemoryHigh", false},
    Property{"memory.low", "MemoryLow", false},   Property{"io.weight/default", "IOWeight", false},
    Property{"rbps", "IOReadBandwidthMax", true}, Property{"wbps", "IOWriteBandwidthMax", true},
    Property{"riops", "IOReadIOPSMax", true},     Property{"wiops", "IOWriteIOPSMax", true},
};

std::string_view LastOf(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// The first line that begins with the word, without it; nothing: none does.
std::optional<std::string_view> LineOf(std::string_view text, std::string_view word) {
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (!line.starts_with(word)) continue;
    line.remove_prefix(word.size());
    if (line.empty() || line.front() == ' ') return line;
  }
  return std::nullopt;
}

std::optional<std::string> WordAfter(std::string_view line, std::string_view key) {
  while (!line.empty()) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    const std::string_view word = line.substr(0, line.find(' '));
    line.remove_prefix(word.size());
    if (word.starts_with(key)) return std::string(word.substr(key.size()));
  }
  return std::nullopt;
}

// "cpu" of …/cpu.weight, "io" of …/io.max/vda/rbps.
std::string ControllerOf(const std::string& path) {
  const auto value = GroupValueOf(path);
  const std::string_view control = LastOf(value ? std::string_view(value->file) : path);
  return std::string(control.substr(0, control.find('.')));
}

bool HasWord(const std::string& words, const std::string& word) {
  return fmt::format(" {} ", words).find(" " + word + " ") != std::string::npos;
}

// Where version 2 is: by itself, or beside version 1.
std::optional<std::string> RootOf(KernelFiles& files) {
  for (const char* const root : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
    if (files.Read(std::string(root) + "/cgroup.controllers")) return root;
  }
  return std::nullopt;
}

bool IsControl(std::string_view part) {
  constexpr std::array kControllers{"cpu.",     "memory.", "io.",    "pids.",
                                    "hugetlb.", "cpuset.", "cgroup."};
  return std::any_of(kControllers.begin(), kControllers.end(),
                     [&](const char* controller) { return part.starts_with(controller); });
}

// "nginx.service" and "io.max/vda/rbps".
std::optional<std::pair<std::string, std::string>> Parts(std::string_view name) {
  for (std::size_t slash = name.find('/'); slash != name.npos; slash = name.find('/', slash + 1)) {
    if (slash == 0 || !IsControl(name.substr(slash + 1))) continue;
    return std::pair{std::string(name.substr(0, slash)), std::string(name.substr(slash + 1))};
  }
  return std::nullopt;
}

std::vector<std::string> GroupsNamed(KernelFiles& files, const std::string& root,
                                     const std::string& name) {
  std::vector<std::string> groups;
  const auto all = files.FilesBelow(root);
  if (!all) return groups;
  const std::string end = fmt::format("/{}{}", name, kProcesses);
  for (const std::string& file : *all) {
    if (file.ends_with(end)) groups.push_back(file.substr(0, file.size() - kProcesses.size()));
  }
  return groups;
}

Error Unresolved(const std::string& name, const std::string& why) {
  return Error{Errc::kNotFound, fmt::format("{}: {}", name, why)};
}

}  // namespace

std::optional<GroupValue> GroupValueOf(std::string_view path) {
  if (!path.starts_with(kGroupRoot)) return std::nullopt;
  for (const ManyValued& many : kManyValued) {
    const std::size_t at = path.find(many.file);
    if (at == path.npos) continue;
    const std::string file(path.substr(0, at + many.file.size() - 1));
    const std::string_view rest = path.substr(at + many.file.size());
    const std::size_t slash = rest.find('/');
    const bool has_device = slash != rest.npos;
    if (rest.empty() || has_device != many.has_devices) return std::nullopt;
    if (!has_device) return GroupValue{file, "", std::string(rest)};
    return GroupValue{file, std::string(rest.substr(0, slash)),
                      std::string(rest.substr(slash + 1))};
  }
  return std::nullopt;
}

std::optional<std::string> ValueIn(const GroupValue& value, std::string_view number,
                                   std::string_view text) {
  if (value.device.empty()) return WordAfter(LineOf(text, value.key).value_or(""), "");
  const auto line = LineOf(text, number);
  return WordAfter(line.value_or(""), value.key + "=").value_or("max");
}

std::string LineFor(const GroupValue& value, std::string_view number, const std::string& text) {
  if (value.device.empty()) return fmt::format("{} {}", value.key, text);
  return fmt::format("{} {}={}", number, value.key, text);
}

bool IsGroupName(std::string_view name) { return name.starts_with(kGroupPrefix); }

Result<std::string> PathOfGroupName(KernelFiles& files, const std::string& name) {
  const auto parts = Parts(std::string_view(name).substr(kGroupPrefix.size()));
  if (!parts)
    return Unresolved(name, "expected a group and a control: cgroup:nginx.service/cpu.weight");
  const auto root = RootOf(files);
  if (!root) {
    return Unresolved(name,
                      "this machine has no control groups of version 2 mounted below "
                      "/sys/fs/cgroup");
  }
  const auto groups = GroupsNamed(files, *root, parts->first);
  if (groups.empty()) {
    return Unresolved(name, fmt::format("there is no control group {} below {}; systemd-cgls lists "
                                        "them, and a service has one only while it runs",
                                        parts->first, *root));
  }
  if (groups.size() > 1) {
    return Unresolved(name, fmt::format("several groups have that name; give more of the path: {}",
                                        fmt::join(groups, ", ")));
  }
  return fmt::format("{}/{}", groups.front(), parts->second);
}

std::string WhyNoControl(KernelFiles& files, const std::string& path) {
  const auto value = GroupValueOf(path);
  const std::string file = value ? value->file : path;
  const std::string folder = file.substr(0, file.rfind('/'));
  if (!files.Read(folder + std::string(kProcesses))) {
    return fmt::format(
        "there is no control group {}; a service has one only while it runs, and "
        "cgroup:nginx.service/cpu.weight finds it by its name",
        folder);
  }
  const std::string controller = ControllerOf(path);
  const auto enabled = files.Read(folder + "/cgroup.controllers");
  if (enabled && HasWord(*enabled, controller)) {
    return fmt::format("this kernel's controller {} does not have it", controller);
  }
  return fmt::format(
      "the controller {} is not enabled for this group. For a service of systemd "
      "systemctl set-property enables it; else write +{} to cgroup.subtree_control "
      "of the groups above. Where version 1 has the controller (/proc/cgroups), "
      "version 2 cannot",
      controller, controller);
}

bool HasController(KernelFiles& files, const std::string& path) {
  const auto root = RootOf(files);
  const auto controllers = files.Read(root.value_or("") + "/cgroup.controllers");
  return controllers && HasWord(*controllers, ControllerOf(path));
}

std::string SystemdCommand(const std::string& path, const std::string& text) {
  const auto value = GroupValueOf(path);
  const std::string file = value ? value->file : path;
  const std::string folder = file.substr(0, file.rfind('/'));
  const std::string_view unit = LastOf(folder);
  if (!unit.ends_with(".service") && !unit.ends_with(".slice") && !unit.ends_with(".scope")) {
    return "";
  }
  const std::string control = !value ? std::string(LastOf(file))
                              : value->device.empty()
                                  ? fmt::format("{}/{}", LastOf(file), value->key)
                                  : value->key;
  for (const Property& property : kProperties) {
    if (property.control != control) continue;
    const std::string set = text == "max" ? "infinity" : text;
    return fmt::format(
        "systemctl set-property {} {}={}", unit, property.name,
        property.names_device ? fmt::format("'/dev/{} {}'", value->device, set) : set);
  }
  return "";
}

}  // namespace hone::sysctl

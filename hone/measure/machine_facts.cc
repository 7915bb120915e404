// SPDX-License-Identifier: Apache-2.0
#include "hone/measure/machine_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "hone/base/file.h"
#include "hone/measure/cgroup_limits.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNotReadable = "not readable";

// Files that hold a fact as their only line.
constexpr std::pair<const char*, const char*> kOneLiners[] = {
    {"address randomisation", "proc/sys/kernel/randomize_va_space"},
    {"boot id", "proc/sys/kernel/random/boot_id"},
    {"clock source", "sys/devices/system/clocksource/clocksource0/current_clocksource"},
    {"cpus online", "sys/devices/system/cpu/online"},
    {"frequency driver", "sys/devices/system/cpu/cpu0/cpufreq/scaling_driver"},
    {"governor", "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"},
    {"hyperthreads", "sys/devices/system/cpu/smt/control"},
    {"isolated cpus", "sys/devices/system/cpu/isolated"},
    {"kernel", "proc/sys/kernel/osrelease"},
    {"kernel build", "proc/sys/kernel/version"},
    {"numa nodes", "sys/devices/system/node/online"},
    {"transparent hugepages", "sys/kernel/mm/transparent_hugepage/enabled"},
};

std::string FirstLine(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return std::string(text);
}

std::optional<std::string> ReadLine(const fs::path& path) {
  const auto text = ReadFile(path);
  if (!text) return std::nullopt;
  return FirstLine(*text);
}

std::string TurboOf(const fs::path& root) {
  const fs::path cpu = root / "sys/devices/system/cpu";
  if (const auto off = ReadLine(cpu / "intel_pstate/no_turbo")) return *off == "1" ? "off" : "on";
  if (const auto on = ReadLine(cpu / "cpufreq/boost")) return *on == "1" ? "on" : "off";
  return kNotReadable;
}

// ARM and others do not tell in /proc/cpuinfo, and are then judged by what the firmware says.
std::string VirtualisationOf(const fs::path& root, const std::string& cpuinfo) {
  const auto vendor = ReadLine(root / "sys/class/dmi/id/sys_vendor");
  const auto product = ReadLine(root / "sys/class/dmi/id/product_name");
  const std::string firmware = fmt::format("{}{}{}", vendor.value_or(""),
                                           vendor && product ? " " : "", product.value_or(""));
  const auto flags = FindField(cpuinfo, "flags");
  if (!flags) return firmware.empty() ? kNotReadable : "unknown, firmware says " + firmware;
  if (flags->find(" hypervisor") == std::string::npos) return "none seen";
  if (const auto type = ReadLine(root / "sys/hypervisor/type")) return "virtual machine, " + *type;
  return firmware.empty() ? "virtual machine" : "virtual machine, " + firmware;
}

struct ArmPart {
  std::string_view implementer;
  std::string_view part;
  std::string_view name;
};

// Of the machines that measure: servers and boards.
constexpr ArmPart kArmParts[] = {
    {"0x41", "0xd03", "ARM Cortex-A53"},   {"0x41", "0xd08", "ARM Cortex-A72"},
    {"0x41", "0xd0b", "ARM Cortex-A76"},   {"0x41", "0xd0c", "ARM Neoverse-N1"},
    {"0x41", "0xd40", "ARM Neoverse-V1"},  {"0x41", "0xd49", "ARM Neoverse-N2"},
    {"0x41", "0xd4f", "ARM Neoverse-V2"},  {"0x41", "0xd84", "ARM Neoverse-V3"},
    {"0x41", "0xd8e", "ARM Neoverse-N3"},  {"0x46", "0x001", "Fujitsu A64FX"},
    {"0x48", "0xd01", "HiSilicon TSV110"}, {"0x6d", "0xd49", "Microsoft Cobalt 100"},
    {"0xc0", "0xac3", "Ampere-1"},         {"0xc0", "0xac4", "Ampere-1a"},
};

// The kernel names x86 processors. Those of ARM have numbers.
std::string CpuOf(const std::string& cpuinfo) {
  if (const auto name = FindField(cpuinfo, "model name")) return *name;
  const auto implementer = FindField(cpuinfo, "CPU implementer");
  const auto part = FindField(cpuinfo, "CPU part");
  if (!implementer || !part) return kNotReadable;
  const auto* const known = std::ranges::find_if(kArmParts, [&](const ArmPart& arm) {
    return arm.implementer == *implementer && arm.part == *part;
  });
  std::string name = known != std::end(kArmParts)
                         ? std::string(known->name)
                         : fmt::format("ARM implementer {} part {}", *implementer, *part);
  const auto variant = FindField(cpuinfo, "CPU variant");
  const auto revision = FindField(cpuinfo, "CPU revision");
  if (variant && revision) name += fmt::format(" variant {} revision {}", *variant, *revision);
  return name;
}

// Of the first processor, the last and largest.
std::string CacheOf(const fs::path& root, const std::string& cpuinfo) {
  if (const auto size = FindField(cpuinfo, "cache size")) return *size;
  const fs::path caches = root / "sys/devices/system/cpu/cpu0/cache";
  std::string largest = kNotReadable;
  for (int i = 0;; ++i) {
    const auto size = ReadLine(caches / fmt::format("index{}", i) / "size");
    if (!size) return largest;
    largest = *size;
  }
}

std::string ContainerOf(const fs::path& root) {
  std::error_code ignored;
  if (fs::exists(root / ".dockerenv", ignored)) return "docker";
  if (fs::exists(root / "run/.containerenv", ignored)) return "podman";
  return "none seen";
}

std::string MebibytesOf(const std::string& meminfo, std::string_view key) {
  const auto field = FindField(meminfo, key);
  const auto kibibytes = field ? ParseFirstNumber(*field) : std::nullopt;
  return kibibytes ? fmt::format("{:.0f} MiB", *kibibytes / 1024) : kNotReadable;
}

MachineFacts CgroupFacts(const fs::path& root) {
  const CgroupLimits limits = ReadCgroupLimits(root);
  const std::string none = limits.is_readable ? "none" : kNotReadable;
  return {
      {"cgroup version", limits.is_readable ? limits.versions : kNotReadable},
      {"cgroup cpu limit", limits.cpus ? fmt::format("{:.2f} cpus", *limits.cpus) : none},
      {"cgroup memory limit",
       limits.memory_bytes ? fmt::format("{:.0f} MiB", *limits.memory_bytes / (1 << 20)) : none},
  };
}

}  // namespace

MachineFacts ReadMachineFacts(const fs::path& root) {
  MachineFacts facts = CgroupFacts(root);
  for (const auto& [name, path] : kOneLiners) {
    const auto line = ReadLine(root / path);
    facts[name] = line ? (line->empty() ? "none" : *line) : kNotReadable;
  }
  const std::string cpuinfo = ReadFile(root / "proc/cpuinfo").value_or("");
  const auto field = [&](const char* key) {
    return FindField(cpuinfo, key).value_or(kNotReadable);
  };
  facts["cpu"] = CpuOf(cpuinfo);
  facts["cpu cache"] = CacheOf(root, cpuinfo);
  facts["cpu mhz"] = field("cpu MHz");
  facts["microcode"] = field("microcode");
  const std::string status = ReadFile(root / "proc/self/status").value_or("");
  facts["cpus allowed"] = FindField(status, "Cpus_allowed_list").value_or(kNotReadable);
  const std::string meminfo = ReadFile(root / "proc/meminfo").value_or("");
  facts["memory"] = MebibytesOf(meminfo, "MemTotal");
  facts["swap"] = MebibytesOf(meminfo, "SwapTotal");
  const std::string release = ReadFile(root / "etc/os-release").value_or("");
  facts["system"] = FindSetting(release, "PRETTY_NAME").value_or(kNotReadable);
  facts["turbo"] = TurboOf(root);
  facts["virtualisation"] = VirtualisationOf(root, cpuinfo);
  facts["container"] = ContainerOf(root);
  return facts;
}

}  // namespace hone

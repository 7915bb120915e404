// SPDX-License-Identifier: Apache-2.0
#include "tests/crash/sysctl_parameters.h"

#include <unistd.h>

#include <cstdlib>

namespace hone::sysctl {
namespace {

const std::string kControl = "/proc/sys/net/ipv4/tcp_congestion_control";
const std::string kAllowed = "/proc/sys/net/ipv4/tcp_allowed_congestion_control";
const std::string kAvailable = "/proc/sys/net/ipv4/tcp_available_congestion_control";

std::vector<std::string> WordsOf(const std::string& text) {
  std::vector<std::string> words;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

std::string FirstDisk(KernelFiles& files) {
  for (const char* pattern :
       {"/sys/block/[vsn]*/queue/read_ahead_kb", "/sys/block/*/queue/read_ahead_kb"}) {
    const auto found = files.Match(pattern);
    if (found && !found->empty()) return found->front();
  }
  return "/sys/block/none";
}

// Of a test's own disk and network device.
std::vector<HarmlessParameter> OfTestDevices() {
  const char* const disk = std::getenv(kTestDisk);
  const char* const link = std::getenv(kTestLink);
  const char* const group = std::getenv(kTestGroup);
  if (disk == nullptr || link == nullptr || group == nullptr) return {};
  const std::string queue = "/sys/block/" + std::string(disk) + "/queue/";
  const std::string net = "/sys/class/net/" + std::string(link);
  const std::string ethtool = "/ethtool/" + std::string(link);
  const std::string control = std::string(group) + "/";
  return {{queue + "scheduler", {"mq-deadline", "kyber", "bfq"}},
          {queue + "nr_requests", {"32", "64"}},
          {queue + "read_ahead_kb", {"256", "1024"}},
          {queue + "rq_affinity", {"0", "2"}},
          {queue + "nomerges", {"1", "2"}},
          {queue + "wbt_lat_usec", {"1000", "50000"}},
          {net + "/queues/rx-0/rps_cpus", {"1"}},
          {net + "/queues/tx-0/xps_cpus", {"1"}},
          {net + "/tx_queue_len", {"500", "2000"}},
          {net + "/gro_flush_timeout", {"20000"}},
          {ethtool + "/features/tx-tcp-segmentation", {"off"}},
          {ethtool + "/features/tx-generic-segmentation", {"off"}},
          {ethtool + "/features/rx-gro", {"on", "off"}},
          {ethtool + "/channels/rx", {"2"}},
          {ethtool + "/channels/tx", {"2"}},
          {control + "cgroup.max.depth", {"5", "7"}},
          {control + "cpu.weight", {"50", "200"}},
          {control + "memory.high", {"1073741824"}},
          {control + "io.max/vda/rbps", {"1073741824"}},
          {control + "hugetlb.2MB.max", {"0", "4194304"}}};
}

}  // namespace

std::vector<HarmlessParameter> HarmlessParameters(KernelFiles& files) {
  std::vector<HarmlessParameter> devices = OfTestDevices();
  std::vector<HarmlessParameter> wanted{
      {"/proc/sys/vm/vfs_cache_pressure", {"90", "110", "130"}},
      {"/proc/sys/vm/stat_interval", {"2", "3"}},
      {"/proc/sys/vm/dirty_bytes", {"536870912", "805306368"}},
      {"/proc/sys/vm/dirty_background_bytes", {"134217728", "201326592"}},
      // In a namespace only those that the host allows can be chosen.
      {kControl, WordsOf(files.Read(devices.empty() ? kAvailable : kAllowed).value_or(""))},
      {FirstDisk(files), {"256", "1024", "1001"}},  // The last one is rounded.
      {"/sys/kernel/mm/transparent_hugepage/khugepaged/scan_sleep_millisecs", {"9000", "11000"}},
  };
  wanted.insert(wanted.end(), devices.begin(), devices.end());
  std::vector<HarmlessParameter> found;
  for (const HarmlessParameter& parameter : wanted) {
    const bool is_usable = files.IsWritable(parameter.path) && files.Read(parameter.path);
    if (is_usable && !parameter.texts.empty()) found.push_back(parameter);
  }
  return found;
}

TransactionSettings TransactionOnHost(KernelFiles& files, const std::filesystem::path& folder) {
  TransactionSettings settings;
  for (const HarmlessParameter& parameter : HarmlessParameters(files)) {
    settings.paths.push_back(parameter.path);
  }
  settings.couplings.twins = {
      {"/proc/sys/vm/dirty_ratio", "/proc/sys/vm/dirty_bytes"},
      {"/proc/sys/vm/dirty_background_ratio", "/proc/sys/vm/dirty_background_bytes"}};
  settings.couplings.effects = {{kControl, kAllowed, true}};
  if (const char* const disk = std::getenv(kTestDisk)) {
    const std::string queue = "/sys/block/" + std::string(disk) + "/queue/";
    for (const char* const moved : {"nr_requests", "wbt_lat_usec"}) {
      settings.couplings.effects.push_back({queue + "scheduler", queue + moved, true});
    }
  }
  const auto file = ServiceFileOf(folder);
  if (std::filesystem::exists(file)) {
    settings.paths.push_back(PathOfFile(file));
    settings.files[PathOfFile(file)].reload.arguments = {"cp", file, LoadedFileOf(folder)};
  }
  settings.folder = folder;
  settings.reason = "a crash test";
  return settings;
}

std::vector<Setting> RandomSettings(const std::vector<HarmlessParameter>& parameters, Rng& rng) {
  std::vector<Setting> settings;
  for (const HarmlessParameter& parameter : parameters) {
    if (rng.Coin()) continue;
    settings.push_back({parameter.path, parameter.texts[rng.Below(parameter.texts.size())]});
  }
  return settings;
}

void AddRandomFiles(const TransactionSettings& hold, Rng& rng, std::vector<Setting>& settings) {
  for (const auto& [path, file] : hold.files) {
    if (rng.Coin()) settings.push_back({path, "threads " + std::to_string(rng.Below(100)) + "\n"});
  }
}

std::filesystem::path ServiceFileOf(const std::filesystem::path& folder) {
  return folder.parent_path() / "service.conf";
}

std::filesystem::path LoadedFileOf(const std::filesystem::path& folder) {
  return folder.parent_path() / "loaded";
}

std::string WhyHostIsOutOfReach() {
  if (::geteuid() != 0) return "needs root to change the host's kernel parameters";
  if (!MakeHostFiles()->IsWritable("/proc/sys/vm/vfs_cache_pressure")) {
    return "/proc/sys is read-only here (a container?)";
  }
  return "";
}

}  // namespace hone::sysctl

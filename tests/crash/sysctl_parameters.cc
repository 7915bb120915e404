// SPDX-License-Identifier: Apache-2.0
#include "tests/crash/sysctl_parameters.h"

#include <unistd.h>

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

}  // namespace

std::vector<HarmlessParameter> HarmlessParameters(KernelFiles& files) {
  const std::vector<HarmlessParameter> wanted{
      {"/proc/sys/vm/vfs_cache_pressure", {"90", "110", "130"}},
      {"/proc/sys/vm/stat_interval", {"2", "3"}},
      {"/proc/sys/vm/dirty_bytes", {"536870912", "805306368"}},
      {"/proc/sys/vm/dirty_background_bytes", {"134217728", "201326592"}},
      {kControl, WordsOf(files.Read(kAvailable).value_or(""))},
      {FirstDisk(files), {"256", "1024", "1001"}},  // The last one is rounded.
      {"/sys/kernel/mm/transparent_hugepage/khugepaged/scan_sleep_millisecs", {"9000", "11000"}},
  };
  std::vector<HarmlessParameter> found;
  for (const HarmlessParameter& parameter : wanted) {
    if (files.IsWritable(parameter.path) && !parameter.texts.empty()) found.push_back(parameter);
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

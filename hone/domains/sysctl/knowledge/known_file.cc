// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/knowledge/known_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "hone/domains/sysctl/knowledge/path_pattern.h"

namespace hone::sysctl {
namespace {

// Where something may be a parameter though nothing is known of it, as sysfs has it behind links.
// The rest of it is of buses, of debugging and of security, where a write is an order: what is
// written to /sys/kernel/uevent_helper is run by the kernel.
constexpr std::array<std::string_view, 9> kRootsOfUnknown{
    "/proc/sys/",      "/proc/irq/",    "/ethtool/",      "/sys/devices/", "/sys/module/",
    "/sys/kernel/mm/", "/sys/fs/ext4/", "/sys/fs/btrfs/", "/sys/fs/xfs/"};

Error Refusal(const ParameterPath& path, const std::string& why) {
  return {Errc::kInvalidArgument, fmt::format("{}: {}", NameOfPath(path.text()), why)};
}

std::vector<std::string> PathsOfForm(KernelFiles& files, const std::string& form) {
  if (!IsPattern(form)) return {form};
  return files.Match(form).value_or(std::vector<std::string>());
}

// The known path that leads to the same file; empty if there is none.
std::string KnownPathTo(KernelFiles& files, const Knowledge& knowledge, const std::string& file) {
  for (const ParameterFacts& facts : knowledge.all()) {
    for (const std::string& form : FormsOf(facts)) {
      if (!form.starts_with("/sys/")) continue;
      for (const std::string& known : PathsOfForm(files, form)) {
        if (files.Resolved(known) == file) return known;
      }
    }
  }
  return "";
}

bool IsDenied(const ParameterFacts* facts) {
  return facts != nullptr && facts->risk == Risk::kDenied;
}

}  // namespace

Result<const ParameterFacts*> FactsOfFile(KernelFiles& files, const Knowledge& knowledge,
                                          const ParameterPath& path) {
  const ParameterFacts* const facts = knowledge.Find(path.text());
  const std::string file = files.Resolved(path.text());
  const bool is_linked = file != path.text();
  if (const auto* const behind = is_linked ? knowledge.Find(file) : facts; IsDenied(behind)) {
    return behind;
  }
  if (facts != nullptr) return facts;
  if (path.text().starts_with("/sys/")) {
    if (const std::string known = KnownPathTo(files, knowledge, file); !known.empty()) {
      return Refusal(path, fmt::format("it is {} under another name; use that", known));
    }
  }
  if (std::none_of(kRootsOfUnknown.begin(), kRootsOfUnknown.end(),
                   [&](std::string_view root) { return file.starts_with(root); })) {
    return Refusal(path,
                   "nothing is known of it, and below its folder a write may be an order to the "
                   "kernel; what is not known is tuned only below /proc/sys, /sys/devices, "
                   "/sys/module, /sys/kernel/mm and file systems' folders in /sys/fs");
  }
  return facts;
}

std::vector<std::string> ChangedWith(KernelFiles& files, const ParameterFacts& facts,
                                     const std::string& path) {
  const auto stars = MatchPattern(PathOfName(facts.name), path);
  std::vector<std::string> changed;
  for (const std::string& change : facts.changes) {
    const std::string form =
        FillPattern(PathOfName(change), stars.value_or(std::vector<std::string>()));
    for (const std::string& one : PathsOfForm(files, form)) {
      if (files.Read(one)) changed.push_back(one);
    }
  }
  return changed;
}

bool IsLeftAlone(KernelFiles& files, const Knowledge& knowledge, const std::string& path) {
  const auto one = ParameterPath::Of(path);
  if (!one) return true;
  const auto facts = FactsOfFile(files, knowledge, *one);
  if (!facts) return true;
  return *facts == nullptr ? path.starts_with("/proc/sys/") : IsDenied(*facts);
}

}  // namespace hone::sysctl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/sysctl/kernel/kernel_files.h"
#include "hone/domains/sysctl/kernel/setting.h"

namespace hone::sysctl {

// Every writable parameter that can be read, with its text: all below /proc/sys and below the
// sysfs folders that were asked for. For finding what moved. Links are not followed.
class Snapshot {
 public:
  // Parameters that show nothing or refuse to be read are left out.
  static Snapshot Take(KernelFiles& files, const std::vector<std::string>& folders = {});

  // The same of what lies beside these parameters only, which takes a moment: of sysctl the folder
  // itself ("/proc/sys/vm"), and FoldersAround the others.
  static Snapshot TakeBeside(KernelFiles& files, const std::vector<std::string>& paths);

  Snapshot() = default;
  explicit Snapshot(std::map<std::string, std::string> texts) : texts_(std::move(texts)) {}

  const std::map<std::string, std::string>& texts() const { return texts_; }

 private:
  std::map<std::string, std::string> texts_;
};

// What differs, in order, but for what moves by itself. A parameter that is on one side only has
// an empty text on the other; those of network interfaces that came or went are left out.
std::vector<Change> ChangesBetween(const Snapshot& before, const Snapshot& after);

// The same with more that is known to move here: what differed between two snapshots between which
// nobody wrote.
std::vector<Change> ChangesBetween(const Snapshot& before, const Snapshot& after,
                                   const std::set<std::string>& volatile_paths);

// Why this parameter changes though nobody writes it; empty if it does not.
std::string_view WhyVolatile(std::string_view path);

// The folders below /sys whose files may change with the parameters at these paths, each once:
// "/sys/block/vda/queue" for its read_ahead_kb; of ethtool's the same. Nothing for other paths.
std::vector<std::string> FoldersAround(const std::vector<std::string>& paths);

}  // namespace hone::sysctl

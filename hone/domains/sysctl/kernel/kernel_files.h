// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hone/core/result.h"

namespace hone::sysctl {

// The kernel's parameters, as files. The host's, a network namespace's, or a made-up kernel's for
// tests. Implementations must pass domains/sysctl/kernel/kernel_files_contract.h.
class KernelFiles {
 public:
  virtual ~KernelFiles() = default;

  // The text without the newline at its end; tabs between the numbers of a tuple become blanks.
  // Where the kernel shows a choice as "always [madvise] never", the text is "madvise".
  // kNotFound: there is no such parameter. kUnsupported: it cannot be read.
  virtual Result<std::string> Read(const std::string& path) = 0;

  // What the kernel shows, as it shows it: "always [madvise] never".
  virtual Result<std::string> ReadRaw(const std::string& path) = 0;

  // In one write(2). kInvalidArgument: the kernel refuses the value, or the path is no
  // ParameterPath. kUnsupported: it may not be
  // written here (EACCES, EPERM, EROFS). Success does not mean that the value is in force as given.
  virtual Result<void> Write(const std::string& path, const std::string& text) = 0;

  // Paths that match a pattern with * ("/sys/block/*/queue/scheduler"), in order.
  virtual Result<std::vector<std::string>> Match(const std::string& pattern) = 0;

  // Every file below a folder, in order: "/proc/sys", "/sys/block/vda/queue".
  virtual Result<std::vector<std::string>> FilesBelow(const std::string& folder) = 0;

  virtual bool IsWritable(const std::string& path) = 0;

  // The file behind the links on the way to it: sysfs shows one at many paths. The path itself
  // where there are none, or where there is nothing.
  virtual std::string Resolved(const std::string& path) = 0;
};

// This machine's own, in this process' namespaces.
std::unique_ptr<KernelFiles> MakeHostFiles();

}  // namespace hone::sysctl

// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/kernel/kernel_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "hone/domains/sysctl/kernel/fake_kernel.h"
#include "hone/domains/sysctl/kernel/kernel_files_contract.h"
#include "hone/testing/host_parameters_lock.h"

namespace hone::sysctl {
namespace {

std::unique_ptr<KernelFiles> MakeExamined() {
  auto kernel = std::make_unique<FakeKernel>();
  kernel->Add("/proc/sys/vm/stat_interval", "1");
  kernel->Clamp("/proc/sys/vm/stat_interval", 0, 1000);
  kernel->Add("/proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456");
  kernel->AddChoice("/sys/kernel/mm/transparent_hugepage/enabled", {"always", "madvise", "never"},
                    "madvise");
  kernel->Add("/proc/sys/kernel/version", "6.18");
  kernel->MakeReadOnly("/proc/sys/kernel/version");
  kernel->Add("/proc/sys/vm/compact_memory", "");
  kernel->MakeWriteOnly("/proc/sys/vm/compact_memory");
  return kernel;
}

INSTANTIATE_TEST_SUITE_P(Fake, KernelFilesContract,
                         testing::Values(KernelFilesCase{
                             .name = "fake",
                             .make = MakeExamined,
                             .integer = "/proc/sys/vm/stat_interval",
                             .pattern = "/proc/sys/vm/stat_*",
                             .folder = "/proc/sys",
                             .refused = "much",
                             .tuple = "/proc/sys/net/ipv4/tcp_rmem",
                             .choice = "/sys/kernel/mm/transparent_hugepage/enabled",
                             .read_only = "/proc/sys/kernel/version",
                             .write_only = "/proc/sys/vm/compact_memory"}));

// The host's files, alone with them.
class LockedHost final : public KernelFiles {
 public:
  Result<std::string> Read(const std::string& path) override { return files_->Read(path); }
  Result<std::string> ReadRaw(const std::string& path) override { return files_->ReadRaw(path); }
  Result<void> Write(const std::string& path, const std::string& text) override {
    return files_->Write(path, text);
  }
  Result<std::vector<std::string>> Match(const std::string& pattern) override {
    return files_->Match(pattern);
  }
  Result<std::vector<std::string>> FilesBelow(const std::string& folder) override {
    return files_->FilesBelow(folder);
  }
  bool IsWritable(const std::string& path) override { return files_->IsWritable(path); }
  std::string Resolved(const std::string& path) override { return files_->Resolved(path); }

 private:
  HostParametersLock lock_;
  std::unique_ptr<KernelFiles> files_ = MakeHostFiles();
};

std::string WhyNotHere() {
  if (::geteuid() != 0) return "needs root to write a kernel parameter";
  if (!MakeHostFiles()->IsWritable("/proc/sys/vm/stat_interval")) {
    return "/proc/sys is read-only here";
  }
  return "";
}

std::string WhereThere(const std::string& path) {
  return std::filesystem::exists(path) ? path : "";
}

INSTANTIATE_TEST_SUITE_P(Host, KernelFilesContract,
                         testing::Values(KernelFilesCase{
                             .name = "host",
                             .make = [] { return std::make_unique<LockedHost>(); },
                             .why_not = WhyNotHere,
                             .integer = "/proc/sys/vm/stat_interval",
                             .pattern = "/proc/sys/vm/stat_int*",
                             .folder = "/proc/sys/vm",
                             .refused = "much",
                             .tuple = WhereThere("/proc/sys/net/ipv4/tcp_rmem"),
                             .choice = WhereThere("/sys/kernel/mm/transparent_hugepage/enabled"),
                             .read_only = WhereThere("/proc/sys/kernel/osrelease"),
                             .write_only = WhereThere("/proc/sys/vm/compact_memory")}));

}  // namespace
}  // namespace hone::sysctl

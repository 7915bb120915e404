// SPDX-License-Identifier: Apache-2.0
#include "tests/e2e/control_group_guest.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <utility>
#include <vector>

#include "hone/base/file.h"
#include "hone/base/process/find_program.h"
#include "hone/base/process/subprocess.h"
#include "hone/base/temp_dir.h"
#include "hone/domains/kconfig/guest/debian_kernel_for_test.h"
#include "hone/domains/kconfig/guest/guest_shell.h"
#include "hone/domains/kconfig/guest/qemu_guest.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using kernels::InitramfsFile;

constexpr char kSetUp[] = R"sh(#!/bin/busybox sh
/bin/busybox mkdir -p /proc /sys /tmp /usr/bin /usr/sbin /sbin
/bin/busybox --install -s /bin
export PATH=/bin HOME=/tmp HONE_STATE=/tmp/state
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs tmp /tmp
mount -t cgroup2 none /sys/fs/cgroup
for module in /modules/* /disks/*; do insmod $module; done
while [ ! -e /dev/vport0p1 ]; do usleep 10000; done
exec >/tmp/told 2>&1
dd if=/dev/zero of=/tmp/disk bs=1M count=4
losetup /dev/loop0 /tmp/disk
echo bfq >/sys/block/loop0/queue/scheduler
slice=/sys/fs/cgroup/system.slice
echo "+cpu +memory +io" >/sys/fs/cgroup/cgroup.subtree_control
mkdir $slice
echo "+cpu +memory +io" >$slice/cgroup.subtree_control
for service in made other; do
  mkdir $slice/$service.service
  sh -c "echo \$\$ >$slice/$service.service/cgroup.procs; while :; do :; done" &
done
say() { echo "== $*"; }
controls() {
  for file in cpu.weight memory.high memory.low io.weight io.bfq.weight io.max; do
    while read -r line; do echo "$file $line"; done <$slice/made.service/$file
  done
}
hone() { /bin/hone "$@"; echo "status $?"; }
await() {
  for turn in $(seq 400); do
    [ "$(controls)" "$1" "$2" ] && return 0
    usleep 50000
  done
  say "in vain"
}
)sh";

constexpr char kEnd[] = R"sh(
say end
cat /tmp/told >/dev/vport0p1
reboot -f
)sh";

std::string Output(const std::vector<std::string>& arguments) {
  Command command;
  command.arguments = arguments;
  command.max_output = 512U << 20;
  const auto ran = RunProcess(command);
  EXPECT_TRUE(ran && ran->status == 0) << arguments[0] << ": " << (ran ? ran->errors : "");
  return ran ? ran->output : "";
}

// The program and every library that it needs, where it looks for them.
std::vector<InitramfsFile> ProgramFiles(const fs::path& folder) {
  const std::string stripped = folder / "hone";
  Output({"strip", "-o", stripped, HONE_BINARY});
  std::vector<InitramfsFile> files{{"bin/hone", ReadFile(stripped).value(), true}};
  std::istringstream words(Output({"ldd", HONE_BINARY}));
  for (std::string word; words >> word;) {
    if (!word.starts_with('/')) continue;
    files.push_back({word.substr(1), ReadFile(word).value(), true});
  }
  return files;
}

// Compressed: there is little room beside a guest.
std::string Packed(const fs::path& folder, std::vector<InitramfsFile> files) {
  std::ranges::sort(files, {}, &InitramfsFile::path);
  const fs::path archive = folder / "initramfs";
  EXPECT_TRUE(WriteFileDurably(archive, kernels::MakeInitramfs(files)));
  return Output({"gzip", "-1", "-c", archive});
}

std::map<std::string, std::string> Sections(const std::string& told) {
  std::map<std::string, std::string> sections;
  std::istringstream lines(told);
  std::string heading;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("== ")) {
      heading = line.substr(3);
      sections[heading];
    } else {
      sections[heading] += line + "\n";
    }
  }
  return sections;
}

}  // namespace

std::map<std::string, std::string> ControlGroupTest::InGuest(
    const std::string& script, const std::map<std::string, std::string>& files,
    std::chrono::minutes limit) {
  const auto skip = [](const std::string& why) {
    [&] { GTEST_SKIP() << why; }();
    return std::map<std::string, std::string>{};
  };
  const auto arch = kernels::GuestArchNamed("");
  if (!arch) return skip(arch.error().message);
  if (!FindProgram(arch->qemu, SearchPath())) return skip("needs " + arch->qemu);
  auto all = kernels::GuestShellFiles(*arch, kSetUp + script + kEnd);
  if (!all) return skip(all.error().message);
  const fs::path kernel = kernels::DebianKernel("");
  if (kernel.empty()) return skip("needs Debian's cloud kernel (scripts/debian-kernel)");
  const auto folder = TempDir::Make("hone-control-group-test").value();
  for (const char* const kind : {"modules", "disks"}) {
    for (InitramfsFile& file : kernels::ModulesIn(kernel / kind)) {
      all->push_back({kind + file.path.substr(file.path.find('/')), std::move(file.content)});
    }
  }
  for (InitramfsFile& file : ProgramFiles(folder.path())) all->push_back(std::move(file));
  for (const auto& [path, text] : files) all->push_back({path, text});

  kernels::GuestOrder order;
  order.arch = *arch;
  if (arch->name == "x86_64") order.arch.qemu_machine = "microvm,acpi=on,rtc=on";
  order.image = kernel / "image";
  order.initramfs = Packed(folder.path(), std::move(*all));
  order.counts_instructions = true;  // Its time does not depend on how busy this machine is.
  order.memory_mib = 1024;
  order.limit = limit;
  const auto report = kernels::MakeQemuGuest()->Boot(order);
  EXPECT_TRUE(report) << report.error().message;
  if (!report) return {};
  EXPECT_EQ(report->end, kernels::GuestEnd::kEnded) << report->fault << "\n" << report->console;
  std::cout << "the guest took " << report->wall.count() / 1000 << " s\n";
  auto told = Sections(report->result);
  EXPECT_TRUE(told.contains("end")) << report->result;
  EXPECT_FALSE(told.contains("in vain")) << report->result;
  return told;
}

}  // namespace hone

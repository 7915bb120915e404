// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/knowledge/settings_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/base/file.h"
#include "hone/base/process/subprocess.h"
#include "hone/base/temp_dir.h"
#include "hone/domains/sysctl/knowledge/settings_export.h"

namespace hone::sysctl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<Setting> ReadLines(const std::string& text) {
  const auto settings = ReadSettingsFile(text, "f");
  EXPECT_TRUE(settings) << settings.error().message;
  return settings ? *settings : std::vector<Setting>{};
}

std::string FaultOfFile(const std::string& text) {
  const auto settings = ReadSettingsFile(text, "f");
  EXPECT_FALSE(settings);
  return settings ? "" : settings.error().message;
}

const Setting kSwappinessPath{"/proc/sys/vm/swappiness", "10"};
const Setting kHugePagesPath{"/sys/kernel/mm/transparent_hugepage/enabled", "always"};

SettingsExport Example() {
  SettingsExport example;
  example.run = "sysctl-3";
  example.workload = "memory access";
  example.verdict = "Gain: +40.1 % ops_per_s [95 %: +35.0 %, +44.2 %], p < 0.0001, n = 24 pairs";
  example.date = "2026-11-15 05:00:00 UTC";
  example.machine = "2 CPUs, 24 GiB";
  example.kernel = "6.18.44";
  example.version = "0.2.0";
  example.settings = {
      {kHugePagesPath.path, "madvise", "always", "+38.0 % [+33.1 %, +42.0 %]", "Large pages."},
      {kSwappinessPath.path, "60", "10", "", "Weighs swapping out against dropping file pages."},
      {"/proc/sys/net/ipv4/tcp_rmem", "4096 131072 6291456", "4096 65536 1048576", "+1.0 %", ""},
      {"/proc/sys/kernel/made_up", "it's 5 %", "50 % \\ 'x'", "", ""}};
  return example;
}

std::vector<Setting> SettingsIn(const SettingsExport& example) {
  std::vector<Setting> settings;
  for (const ExportedSetting& one : example.settings) settings.push_back({one.path, one.after});
  return settings;
}

// What has no file at boot: of a network device, and of a service's control group.
const std::string kService = "/sys/fs/cgroup/system.slice/nginx.service";
SettingsExport Devices() {
  SettingsExport devices = Example();
  devices.settings = {{"/ethtool/eth0/ring/rx", "256", "1024", "", ""},
                      {kService + "/cpu.weight", "100", "300", "", ""},
                      {kService + "/io.max/vda/rbps", "1048576", "max", "", ""},
                      {"/proc/irq/24/smp_affinity", "3", "1", "", ""}};
  return devices;
}

TEST(SettingsFileTest, DevicesAndGroupsAreCommandsInFormsThatWriteFiles) {
  for (const auto form : {SettingsForm::kSysctl, SettingsForm::kTmpfiles, SettingsForm::kTuned}) {
    const std::string text = ExportSettings(Devices(), form);
    EXPECT_THAT(text, HasSubstr("#   ethtool -G eth0 rx 1024\n"));
    EXPECT_THAT(text, HasSubstr("#   systemctl set-property nginx.service CPUWeight=300\n"));
    EXPECT_THAT(text, ::testing::Not(HasSubstr("\nw /ethtool")));
    EXPECT_THAT(text, ::testing::Not(HasSubstr("\nw /sys/fs/cgroup")));
  }
  EXPECT_THAT(ExportSettings(Devices(), SettingsForm::kTmpfiles),
              HasSubstr("\nw /proc/irq/24/smp_affinity - - - - 1\n"));
}

TEST(SettingsFileTest, DevicesAndGroupsAreReadBackFromScriptAndJson) {
  for (const auto form : {SettingsForm::kScript, SettingsForm::kJson}) {
    EXPECT_EQ(ReadLines(ExportSettings(Devices(), form)), SettingsIn(Devices()));
  }
}

TEST(SettingsFileTest, SysctlFilesAreRead) {
  EXPECT_THAT(ReadLines("# a comment\n; another\n\nvm.swappiness = 10\n-net/ipv4/tcp_sack=0\n"
                        "net.ipv4.tcp_rmem =\t4096  131072\t6291456 \n"),
              ElementsAre(kSwappinessPath, Setting{"/proc/sys/net/ipv4/tcp_sack", "0"},
                          Setting{"/proc/sys/net/ipv4/tcp_rmem", "4096 131072 6291456"}));
}

TEST(SettingsFileTest, TheLaterOfTwoCounts) {
  EXPECT_THAT(ReadLines("vm.swappiness=60\nvm.swappiness=10\n"), ElementsAre(kSwappinessPath));
}

TEST(SettingsFileTest, PatternsAreKept) {
  EXPECT_THAT(ReadLines("net.ipv4.conf.*.rp_filter = 1\n"),
              ElementsAre(Setting{"/proc/sys/net/ipv4/conf/*/rp_filter", "1"}));
}

TEST(SettingsFileTest, TmpfilesAreRead) {
  EXPECT_THAT(ReadLines("# c\nw /sys/kernel/mm/transparent_hugepage/enabled - - - - always\n"
                        "w- /proc/sys/kernel/made_up - - - - 5 %% a=b\n"),
              ElementsAre(kHugePagesPath, Setting{"/proc/sys/kernel/made_up", "5 % a=b"}));
}

TEST(SettingsFileTest, TunedProfilesAreRead) {
  EXPECT_THAT(ReadLines("#\n[main]\nsummary=x\n[sysctl]\nvm.swappiness = 10\n"
                        "[sysfs]\n/sys/block/vda/queue/read_ahead_kb=16\n"
                        "[vm]\ntransparent_hugepages=always\n"),
              ElementsAre(kSwappinessPath, Setting{"/sys/block/vda/queue/read_ahead_kb", "16"},
                          kHugePagesPath));
}

TEST(SettingsFileTest, EveryExportReadsBack) {
  const SettingsExport example = Example();
  for (const SettingsForm form :
       {SettingsForm::kTmpfiles, SettingsForm::kJson, SettingsForm::kScript}) {
    SCOPED_TRACE(NameOf(form));
    EXPECT_EQ(ReadLines(ExportSettings(example, form)), SettingsIn(example));
  }
  auto tuned = SettingsIn(example);  // It groups sysctl before sysfs.
  std::rotate(tuned.begin(), tuned.begin() + 1, tuned.end());
  EXPECT_EQ(ReadLines(ExportSettings(example, SettingsForm::kTuned)), tuned);
  tuned.pop_back();
  EXPECT_EQ(ReadLines(ExportSettings(example, SettingsForm::kSysctl)), tuned);
}

TEST(SettingsFileTest, AnExportSaysWhatItIsWorthAndHowToUndoIt) {
  for (const SettingsForm form :
       {SettingsForm::kSysctl, SettingsForm::kTuned, SettingsForm::kTmpfiles, SettingsForm::kJson,
        SettingsForm::kScript}) {
    SCOPED_TRACE(NameOf(form));
    const std::string text = ExportSettings(Example(), form);
    for (const std::string part : {"sysctl-3", "2026-11-15", "24 GiB", "6.18.44", "memory access",
                                   "+38.0 % [+33.1 %, +42.0 %]", "madvise"}) {
      EXPECT_THAT(text, HasSubstr(part));
    }
    if (form == SettingsForm::kJson) continue;
    EXPECT_THAT(text, ::testing::ContainsRegex("[Uu]ndo"));
  }
}

TEST(SettingsFileTest, WhatLiesInSysIsNamedInACommentOfSysctl) {
  const std::string text = ExportSettings(Example(), SettingsForm::kSysctl);
  EXPECT_THAT(text,
              HasSubstr("\n#   w /sys/kernel/mm/transparent_hugepage/enabled - - - - always\n"));
  EXPECT_THAT(text, HasSubstr("\nvm.swappiness = 10\n"));
}

TEST(SettingsFileTest, ACommentCannotBeBrokenOutOf) {
  SettingsExport example = Example();
  example.workload = "x\nkernel.panic = 1";
  EXPECT_THAT(ExportSettings(example, SettingsForm::kSysctl),
              ::testing::Not(HasSubstr("\nkernel.panic")));
}

// The script itself, on files that stand for parameters.
TEST(SettingsFileTest, TheScriptAppliesAndUndoes) {
  const auto folder = TempDir::Make("settings");
  ASSERT_TRUE(folder);
  SettingsExport example = Example();
  example.settings = {{(folder->path() / "a").string(), "it's", "50 % 'x'", "", ""}};
  const std::string script = (folder->path() / "s").string();
  ASSERT_TRUE(WriteFileDurably(script, ExportSettings(example, SettingsForm::kScript)));
  const auto run = [&](const std::string& how) {
    Command command;
    command.arguments = {"/bin/sh", script, how};
    const auto done = RunProcess(command);
    EXPECT_TRUE(done) << done.error().message;
    return *ReadFile(folder->path() / "a");
  };
  EXPECT_EQ(run("apply"), "50 % 'x'\n");
  EXPECT_EQ(run("undo"), "it's\n");
}

TEST(SettingsFileTest, WhatCannotBeWrittenBackIsSaidInstead) {
  SettingsExport example = Example();
  example.settings = {{"/proc/sys/vm/dirty_bytes", "0", "67108864", "", "",
                       "vm.dirty_ratio was in force: write that one to switch this off."}};
  EXPECT_THAT(ExportSettings(example, SettingsForm::kScript),
              HasSubstr("\n  echo 'vm.dirty_bytes: vm.dirty_ratio was in force: write that one to "
                        "switch this off.' >&2\n"));
  EXPECT_THAT(ExportSettings(example, SettingsForm::kSysctl),
              HasSubstr("# Before: 0. vm.dirty_ratio was in force: write that one"));
}

TEST(SettingsFileTest, WhatCannotBeReadIsToldWithItsLine) {
  EXPECT_EQ(FaultOfFile(""), "f: there is no setting in it");
  EXPECT_EQ(FaultOfFile("# nothing\n"), "f: there is no setting in it");
  EXPECT_EQ(FaultOfFile("\nvm.swappiness\n"),
            "f: line 2: expected \"name = value\", found \"vm.swappiness\"");
  EXPECT_EQ(FaultOfFile("vm.swappiness =\n"), "f: line 1: vm.swappiness: no value");
  EXPECT_EQ(FaultOfFile("vm/../../../etc/passwd = 1\n"),
            "f: line 1: /proc/sys/vm/../../../etc/passwd: a parameter is a plain path below "
            "/proc/sys or /sys, and has one spelling; write it without empty parts, . and ..");
  EXPECT_EQ(FaultOfFile("w /etc/passwd - - - - x\n"),
            "f: line 1: /etc/passwd: a parameter is a plain path below /proc/sys or /sys");
  EXPECT_EQ(FaultOfFile("w /sys/a - - - - 1\nd /run/x 0755 root root\n"),
            "f: line 2: expected \"w PATH - - - - VALUE\", found \"d /run/x 0755 root root\"");
  EXPECT_EQ(FaultOfFile("w /sys/a - - - - %H\n"),
            "f: line 1: /sys/a: % and \\ stand only for themselves here, doubled");
  EXPECT_EQ(FaultOfFile("[sysctl]\nvm.swappiness=${x}\n"),
            "f: line 2: vm.swappiness: the value \"${x}\" is computed by tuned; write the value "
            "itself");
  EXPECT_EQ(FaultOfFile("[sysctl]\nvm.swappiness\n"),
            "f: line 2: expected \"name=value\", found \"vm.swappiness\"");
  EXPECT_EQ(FaultOfFile("#!/bin/sh\nrm -r /\n"),
            "f: line 1: a script that hone did not write; give it sysctl.d, tmpfiles.d, a tuned "
            "profile or hone's own files");
  EXPECT_EQ(FaultOfFile("#!/bin/sh\n# hone-settings script 1\napply() {\n  put /sys/a 1\n}\n"),
            "f: line 4: expected put 'PATH' 'VALUE'; was the script edited?");
  EXPECT_EQ(FaultOfFile("{\"format\":\"x\",\"settings\":[]}"),
            "f: /format: expected \"hone-settings\" or \"hone-campaign\", found \"x\"");
  EXPECT_EQ(FaultOfFile("{\"format\":\"hone-campaign\"}"),
            "f: this campaign has no settings to install: it found no gain, or it is not about "
            "kernel parameters");
  EXPECT_EQ(
      FaultOfFile("{\"format\":\"hone-settings\",\"settings\":[{\"path\":\"/etc/x\",\"after\":"
                  "\"1\"}]}"),
      "f: /settings/0: /etc/x: a parameter is a plain path below /proc/sys or /sys");
}

}  // namespace
}  // namespace hone::sysctl

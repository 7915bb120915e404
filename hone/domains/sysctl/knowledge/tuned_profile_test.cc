// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/knowledge/tuned_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"

namespace hone::sysctl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class TunedProfileTest : public testing::Test {
 protected:
  std::string PathOf(const std::string& name) const {
    return (folder_->path() / name / "tuned.conf").string();
  }

  void Write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(folder_->path() / name);
    ASSERT_TRUE(WriteFileDurably(PathOf(name), text));
  }

  // "[sysctl] vm.swappiness=10" for each option of a profile that lies beside the others.
  std::vector<std::string> Read(const std::string& text) const {
    const auto units = ReadTunedProfile(text, PathOf("mine"));
    EXPECT_TRUE(units) << units.error().message;
    std::vector<std::string> all;
    for (const TunedUnit& unit : units.value_or(std::vector<TunedUnit>())) {
      for (const TunedOption& option : unit.options) {
        all.push_back("[" + unit.name + "] " + option.key + "=" + option.value);
      }
    }
    return all;
  }

  std::string FaultOf(const std::string& text) const {
    const auto units = ReadTunedProfile(text, PathOf("mine"));
    return units ? "" : units.error().message;
  }

  const Result<TempDir> folder_ = TempDir::Make("tuned");
};

TEST_F(TunedProfileTest, AProfileGoesBeforeThoseThatItIncludes) {
  Write("base", "[main]\nsummary=x\n[sysctl]\nvm.swappiness=10\nvm.dirty_ratio=40\n");
  Write("middle", "[main]\ninclude = base\n[disk]\nreadahead=>4096\n");
  EXPECT_THAT(Read("[main]\ninclude=middle\n[sysctl]\nvm.dirty_ratio = 30\n"),
              ElementsAre("[sysctl] vm.swappiness=10", "[sysctl] vm.dirty_ratio=30",
                          "[disk] readahead=>4096"));
}

TEST_F(TunedProfileTest, OfSeveralIncludedTheLaterCounts) {
  Write("one", "[vm]\ntransparent_hugepages=always\n");
  Write("two", "[vm]\ntransparent_hugepages=never\n");
  EXPECT_THAT(Read("[main]\ninclude=one, two\n"), ElementsAre("[vm] transparent_hugepages=never"));
}

TEST_F(TunedProfileTest, AUnitThatReplacesDropsWhatWasIncluded) {
  Write("base", "[sysctl]\nvm.swappiness=10\n");
  EXPECT_THAT(Read("[main]\ninclude=base\n[sysctl]\nreplace=1\nvm.dirty_ratio=5\n"),
              ElementsAre("[sysctl] vm.dirty_ratio=5"));
}

TEST_F(TunedProfileTest, PlainVariablesAreFilledInAndQuotesAndCommentsGo) {
  EXPECT_THAT(Read("[variables]\nsize=1${digit}\ndigit=6\n[sysctl]\n"
                   "net.ipv4.tcp_rmem=\"4096 87380 ${size}\"   # three\n"
                   "vm.swappiness=${f:exec:date}\n"),
              ElementsAre("[sysctl] net.ipv4.tcp_rmem=4096 87380 16",
                          "[sysctl] vm.swappiness=${f:exec:date}"));
}

TEST_F(TunedProfileTest, WhatEveryPluginUnderstandsIsTheUnitsOwn) {
  const auto units = ReadTunedProfile(
      "[disk-nvme]\ntype=disk\ndevices=nvme*\npriority=5\nenabled=false\nuname_regex=arm\n", "f");
  ASSERT_TRUE(units) << units.error().message;
  const TunedUnit& unit = units->front();
  EXPECT_EQ(unit.type, "disk");
  EXPECT_EQ(unit.devices, "nvme*");
  EXPECT_EQ(unit.uname_regex, "arm");
  EXPECT_FALSE(unit.is_enabled);
  EXPECT_THAT(unit.options, IsEmpty());
}

TEST_F(TunedProfileTest, AnIncludeThatCannotBeFollowedIsSaid) {
  EXPECT_THAT(FaultOf("[main]\ninclude=no-such-profile\n"),
              HasSubstr("line 2: it builds on the profile no-such-profile, which is neither in "
                        "/etc/tuned nor in /usr/lib/tuned, nor beside it"));
  EXPECT_THAT(FaultOf("[main]\ninclude=${f:virt_check:a:b}\n"), HasSubstr("is computed by tuned"));
  EXPECT_THAT(FaultOf("[main]\ninclude=../../etc/passwd\n"), HasSubstr("is no name of a profile"));
}

TEST_F(TunedProfileTest, ProfilesThatIncludeEachOtherEnd) {
  Write("base", "[main]\ninclude=mine\n");
  Write("mine", "[main]\ninclude=base\n");
  EXPECT_THAT(FaultOf("[main]\ninclude=base\n"), HasSubstr("it builds on the profile mine"));
}

TEST_F(TunedProfileTest, WhatIsNoProfileIsToldWithItsLine) {
  EXPECT_THAT(FaultOf("[sysctl]\nvm.swappiness\n"),
              HasSubstr("line 2: expected \"name=value\", found \"vm.swappiness\""));
}

}  // namespace
}  // namespace hone::sysctl

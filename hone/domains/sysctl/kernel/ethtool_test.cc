// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/kernel/ethtool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/ethtool.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

namespace hone::sysctl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A made-up network card: two rings, combined channels, three features of which one is fixed.
class FakeCard {
 public:
  FakeCard() {
    rings.rx_max_pending = 4096;
    rings.tx_max_pending = 1024;
    rings.rx_pending = 256;
    rings.rx_mini_pending = 7;
    rings.tx_pending = 256;
    channels.max_combined = 8;
    channels.combined_count = 2;
  }

  int Answer(const std::string& device, void* command) {
    if (device != "eth0") return -ENODEV;
    switch (*static_cast<std::uint32_t*>(command)) {
      case ETHTOOL_GRINGPARAM:
        return has_rings ? Put(rings, command, ETHTOOL_GRINGPARAM) : -EOPNOTSUPP;
      case ETHTOOL_SRINGPARAM:
        return SetRings(*static_cast<ethtool_ringparam*>(command));
      case ETHTOOL_GCHANNELS:
        return Put(channels, command, ETHTOOL_GCHANNELS);
      case ETHTOOL_SCHANNELS:
        channels = *static_cast<ethtool_channels*>(command);
        return 0;
      case ETHTOOL_GSSET_INFO:
        static_cast<ethtool_sset_info*>(command)->data[0] =
            static_cast<std::uint32_t>(names.size());
        return 0;
      case ETHTOOL_GSTRINGS:
        return PutNames(*static_cast<ethtool_gstrings*>(command));
      case ETHTOOL_GFEATURES:
        static_cast<ethtool_gfeatures*>(command)->features[0] = {changeable, active, active, 0};
        return 0;
      case ETHTOOL_SFEATURES:
        return SetFeatures(static_cast<ethtool_sfeatures*>(command)->features[0]);
      default:
        return -EOPNOTSUPP;
    }
  }

  const std::vector<std::string> names{"rx-gro", "", "tx-generic-segmentation", "rx-all"};
  std::uint32_t changeable = 0b0101;
  std::uint32_t active = 0b0001;
  bool has_rings = true;
  ethtool_ringparam rings{};
  ethtool_channels channels{};

 private:
  template <typename Structure>
  static int Put(Structure structure, void* command, std::uint32_t cmd) {
    structure.cmd = cmd;
    std::memcpy(command, &structure, sizeof structure);
    return 0;
  }

  int SetRings(const ethtool_ringparam& asked) {
    if (asked.rx_pending > rings.rx_max_pending || asked.tx_pending > rings.tx_max_pending) {
      return -EINVAL;
    }
    rings = asked;
    return 0;
  }

  int PutNames(ethtool_gstrings& strings) const {
    for (std::size_t i = 0; i < names.size(); ++i) {
      std::memcpy(strings.data + i * ETH_GSTRING_LEN, names[i].c_str(), names[i].size() + 1);
    }
    return 0;
  }

  int SetFeatures(const ethtool_set_features_block& asked) {
    if ((asked.valid & ~changeable) != 0) return ETHTOOL_F_UNSUPPORTED;
    active = (active & ~asked.valid) | (asked.requested & asked.valid);
    return 0;
  }
};

class EthtoolTest : public testing::Test {
 protected:
  std::string Text(const std::string& path) {
    const auto text = ethtool_.Read(path);
    return text ? *text : text.error().message;
  }

  FakeCard card_;
  Ethtool ethtool_{
      [this](const std::string& device, void* command) { return card_.Answer(device, command); }};
};

TEST_F(EthtoolTest, ADeviceShowsWhatItHasAsPaths) {
  EXPECT_THAT(
      ethtool_.FilesOf("eth0"),
      ElementsAre("/ethtool/eth0/channels/combined", "/ethtool/eth0/channels/combined-max",
                  "/ethtool/eth0/features/rx-gro", "/ethtool/eth0/features/tx-generic-segmentation",
                  "/ethtool/eth0/ring/rx", "/ethtool/eth0/ring/rx-max", "/ethtool/eth0/ring/tx",
                  "/ethtool/eth0/ring/tx-max"));
  EXPECT_TRUE(ethtool_.FilesOf("eth1").empty());
}

TEST_F(EthtoolTest, AFeatureIsSwitchedAloneAndReadBack) {
  EXPECT_EQ(Text("/ethtool/eth0/features/rx-gro"), "on");
  ASSERT_TRUE(ethtool_.Write("/ethtool/eth0/features/tx-generic-segmentation", "on"));
  ASSERT_TRUE(ethtool_.Write("/ethtool/eth0/features/rx-gro", "off"));
  EXPECT_EQ(card_.active, 0b0100U);
  EXPECT_EQ(Text("/ethtool/eth0/features/rx-gro"), "off");
}

TEST_F(EthtoolTest, AFixedFeatureSaysSo) {
  const auto written = ethtool_.Write("/ethtool/eth0/features/rx-all", "on");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message,
            "/ethtool/eth0/features/rx-all = \"on\": the device does not let it be changed");
  EXPECT_FALSE(ethtool_.IsWritable("/ethtool/eth0/features/rx-all"));
  EXPECT_EQ(ethtool_.IsWritable("/ethtool/eth0/features/rx-gro"), ::geteuid() == 0);
}

TEST_F(EthtoolTest, ARingIsSetWithoutTouchingTheOthers) {
  ASSERT_TRUE(ethtool_.Write("/ethtool/eth0/ring/rx", "1024"));
  EXPECT_EQ(Text("/ethtool/eth0/ring/rx"), "1024");
  EXPECT_EQ(Text("/ethtool/eth0/ring/rx-max"), "4096");
  EXPECT_EQ(card_.rings.tx_pending, 256U);
  EXPECT_EQ(card_.rings.rx_mini_pending, 7U);
  EXPECT_EQ(ethtool_.Write("/ethtool/eth0/ring/tx", "2048").error().code, Errc::kInvalidArgument);
  EXPECT_EQ(ethtool_.Write("/ethtool/eth0/ring/tx", "many").error().code, Errc::kInvalidArgument);
  EXPECT_EQ(ethtool_.Write("/ethtool/eth0/ring/rx-max", "8192").error().code, Errc::kUnsupported);
  EXPECT_FALSE(ethtool_.IsWritable("/ethtool/eth0/ring/rx-max"));
}

TEST_F(EthtoolTest, ChannelsAreThoseThatTheDeviceHas) {
  ASSERT_TRUE(ethtool_.Write("/ethtool/eth0/channels/combined", "4"));
  EXPECT_EQ(card_.channels.combined_count, 4U);
  EXPECT_EQ(Text("/ethtool/eth0/channels/rx"),
            "/ethtool/eth0/channels/rx: the device does not have this");
}

TEST_F(EthtoolTest, WhatIsNotThereIsNotFound) {
  card_.has_rings = false;
  for (const char* const path :
       {"/ethtool/eth0/ring/rx", "/ethtool/eth1/ring/rx", "/ethtool/eth0/features/none",
        "/ethtool/eth0/features/", "/ethtool/eth0/pause/rx", "/ethtool/eth0", "/ethtool/"}) {
    EXPECT_EQ(ethtool_.Read(path).error().code, Errc::kNotFound) << path;
    EXPECT_EQ(ethtool_.Write(path, "on").error().code, Errc::kNotFound) << path;
    EXPECT_FALSE(ethtool_.IsWritable(path)) << path;
  }
  EXPECT_THAT(ethtool_.Read("/ethtool/eth1/ring/rx").error().message,
              HasSubstr("there is no such network device"));
}

TEST_F(EthtoolTest, TheCommandThatDoesTheSameIsTold) {
  EXPECT_EQ(EthtoolCommand("/ethtool/eth0/features/rx-gro", "off"), "ethtool -K eth0 rx-gro off");
  EXPECT_EQ(EthtoolCommand("/ethtool/eth0/ring/rx", "512"), "ethtool -G eth0 rx 512");
  EXPECT_EQ(EthtoolCommand("/ethtool/eth0/channels/combined", "4"), "ethtool -L eth0 combined 4");
}

}  // namespace
}  // namespace hone::sysctl

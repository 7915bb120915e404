// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/knowledge/sentence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::sysctl {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kHugePagesName = "/sys/kernel/mm/transparent_hugepage/enabled";

std::vector<SentencePreset> Presets() {
  return {{"memory", {"memory", "hugepages"}, {kHugePagesName}},
          {"file-reads", {"files", "reads"}, {"/sys/block/*/queue/read_ahead_kb"}},
          {"write-bursts", {"files", "writes", "fsync", "latency"}, {"vm.dirty_bytes"}},
          {"tcp", {"network", "throughput"}, {"net.ipv4.tcp_rmem"}, Place::kNamespace},
          {"nginx", {"web", "http", "network"}, {"net.ipv4.tcp_congestion_control"}},
          {"redis", {"keyvalue", "memory"}, {kHugePagesName}},
          {"postgres", {"database", "files"}, {"vm.dirty_background_bytes"}}};
}

SentenceChoice Choose(const std::string& sentence) {
  const auto choice = ChooseFor(sentence, Presets(), Knowledge::Builtin());
  EXPECT_TRUE(choice) << choice.error().message;
  return choice ? *choice : SentenceChoice{};
}

std::string FaultOfSentence(const std::string& sentence) {
  const auto choice = ChooseFor(sentence, Presets(), Knowledge::Builtin());
  EXPECT_FALSE(choice) << sentence << " chose " << choice->preset;
  return choice ? "" : choice.error().message;
}

TEST(SentenceTest, PlainSentencesFindTheirPreset) {
  EXPECT_EQ(Choose("optimise for memory-intensive workloads").preset, "memory");
  EXPECT_EQ(Choose("Make random file reads faster!").preset, "file-reads");
  EXPECT_EQ(Choose("my fsyncs stall after large writes").preset, "write-bursts");
  EXPECT_EQ(Choose("more network throughput").preset, "tcp");
  EXPECT_EQ(Choose("I run a web server with many requests").preset, "nginx");
  EXPECT_EQ(Choose("faster HTTP responses").preset, "nginx");
  EXPECT_EQ(Choose("tune my Redis").preset, "redis");
  EXPECT_EQ(Choose("a key-value store").preset, "redis");
  EXPECT_EQ(Choose("PostgreSQL transactions are slow").preset, "postgres");
  EXPECT_EQ(Choose("huge pages for my simulation").preset, "memory");
  EXPECT_EQ(Choose("nginx").preset, "nginx");
}

TEST(SentenceTest, TheNameOfAPresetCountsMost) {
  EXPECT_EQ(Choose("redis uses much memory").preset, "redis");
  EXPECT_EQ(Choose("write bursts of my database").preset, "write-bursts");
}

TEST(SentenceTest, APresetMayHaveWordsOfItsOwn) {
  auto presets = Presets();
  presets.push_back({"tcp-loopback", {"loopback"}, {"net.ipv4.tcp_rmem"}});
  const auto choice = ChooseFor("sidecars over loopback", presets, Knowledge::Builtin());
  ASSERT_TRUE(choice) << choice.error().message;
  EXPECT_EQ(choice->preset, "tcp-loopback");
}

TEST(SentenceTest, WhatIsToBeLeftAsideIs) {
  const SentenceChoice choice = Choose("speed up disk reads, not writes");
  EXPECT_EQ(choice.preset, "file-reads");
  EXPECT_THAT(choice.without, ElementsAre("writes"));
  EXPECT_EQ(Choose("files, but without reads or databases: writes").preset, "write-bursts");
  EXPECT_EQ(Choose("not the network but memory").preset, "memory");
}

TEST(SentenceTest, TheReasonIsGiven) {
  EXPECT_THAT(Choose("RAM bound work with low latency").because,
              ElementsAre("latency", "memory (ram)"));
}

TEST(SentenceTest, TheAimIsTheOneThatWasSaid) {
  const SentenceChoice tail = Choose("tail latency of redis");
  EXPECT_THAT(tail.aims, ElementsAre("latency"));
  EXPECT_TRUE(tail.is_about_tail);
  EXPECT_FALSE(Choose("lower latency of redis").is_about_tail);
  EXPECT_THAT(Choose("more throughput for nginx").aims, ElementsAre("throughput"));
  EXPECT_THAT(Choose("tune my Redis").aims, IsEmpty());
}

TEST(SentenceTest, AWordBeforeACommaIsThatWordAlone) {
  EXPECT_THAT(Choose("redis, but quick").because, ElementsAre("keyvalue (redis)"));
}

TEST(SentenceTest, WhatIsNotUnderstoodIsNamed) {
  EXPECT_THAT(Choose("lower the frobnication of my disk reads").ignored,
              ElementsAre("frobnication"));
  EXPECT_THAT(Choose("redis with at most 20 ms").ignored, ElementsAre("20", "ms"));
  EXPECT_THAT(Choose("please tune my nginx web server for many requests").ignored, IsEmpty());
}

TEST(SentenceTest, GentleParametersThatMatterAreAdded) {
  const SentenceChoice choice = Choose("optimise for memory-intensive workloads");
  EXPECT_THAT(choice.parameters, ElementsAre(kHugePagesName));
  EXPECT_FALSE(choice.added.empty());
  EXPECT_THAT(choice.added, Not(Contains(kHugePagesName)));
  for (const std::string& name : choice.added) {
    const ParameterFacts* facts = Knowledge::Builtin().Find(name);
    ASSERT_NE(facts, nullptr) << name;
    EXPECT_TRUE(facts->risk == Risk::kSafe || facts->risk == Risk::kSticky) << name;
    EXPECT_THAT(facts->matters_for, Contains("memory"));
  }
}

TEST(SentenceTest, ATwinOfWhatIsTunedIsNotAdded) {
  const SentenceChoice choice = Choose("write bursts and fsync latency");
  EXPECT_THAT(choice.added, Not(Contains("vm.dirty_ratio")));
  const bool has_ratio =
      std::count(choice.added.begin(), choice.added.end(), "vm.dirty_background_ratio") != 0;
  const bool has_bytes =
      std::count(choice.added.begin(), choice.added.end(), "vm.dirty_background_bytes") != 0;
  EXPECT_FALSE(has_ratio && has_bytes);
}

TEST(SentenceTest, APrivateNamespaceGetsOnlyWhatItCanHave) {
  for (const std::string& name : Choose("network throughput").added) {
    EXPECT_EQ(Knowledge::Builtin().Find(name)->scope, Scope::kNetwork) << name;
  }
}

TEST(SentenceTest, NonsenseIsRefusedWithWhatThereIs) {
  EXPECT_EQ(FaultOfSentence("make the coffee stronger"),
            "\"make the coffee stronger\": no preset fits; nothing in it was understood. There "
            "are: memory (memory, hugepages); file-reads (files, reads); write-bursts (files, "
            "writes, fsync, latency); tcp (network, throughput); nginx (web, http, network); redis "
            "(keyvalue, memory); postgres (database, files)");
  EXPECT_THAT(FaultOfSentence(""), HasSubstr("nothing in it was understood"));
  EXPECT_THAT(FaultOfSentence("!!! ???"), HasSubstr("nothing in it was understood"));
}

TEST(SentenceTest, AQualityAloneIsNotEnough) {
  EXPECT_THAT(FaultOfSentence("lower latency please"),
              HasSubstr("no preset fits; understood was latency."));
}

TEST(SentenceTest, OnlyNegationsChooseNothing) {
  EXPECT_THAT(FaultOfSentence("not memory"),
              HasSubstr("no preset fits; nothing in it was understood"));
}

TEST(SentenceTest, TwoThatFitEquallyAreRefused) {
  EXPECT_EQ(FaultOfSentence("fast disks"),
            "\"fast disks\": file-reads and write-bursts fit equally well; understood "
            "was files (disks), throughput (fast). Say more, or name one: hone tune file-reads");
}

}  // namespace
}  // namespace hone::sysctl

// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/knowledge/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(WordsTest, WordsOfOneFamilyHaveOneStem) {
  for (const auto& family : std::vector<std::vector<std::string>>{
           {"allocate", "allocated", "allocating", "allocation", "allocations"},
           {"preempt", "preemption", "preemptible"},
           {"swap", "swaps", "swapping", "swapped"},
           {"compress", "compressed", "compression"},
           {"cache", "caches", "caching"},
           {"schedule", "scheduler", "schedulers", "scheduling"},
           {"fragmented", "fragmentation"},
           {"latency", "latencies"},
           {"split", "splitting"}}) {
    for (const std::string& word : family) {
      EXPECT_EQ(StemOf(word), StemOf(family.front())) << word;
    }
  }
}

TEST(WordsTest, ShortWordsAndNumbersStayAsTheyAre) {
  EXPECT_EQ(StemOf("numa"), "numa");
  EXPECT_EQ(StemOf("hz"), "hz");
  EXPECT_EQ(StemOf("x86"), "x86");
  EXPECT_EQ(StemOf("bus"), "bus");
}

TEST(WordsTest, NamesAreTakenApart) {
  EXPECT_THAT(StemsOf("NO_HZ_FULL"), ElementsAre("no", "hz", "full"));
  EXPECT_THAT(StemsOf("vm.dirty_ratio"), ElementsAre("vm", StemOf("dirty"), "ratio"));
}

TEST(WordsTest, InputAndOutputIsOneWord) {
  EXPECT_THAT(StemsOf("fast I/O"), ElementsAre("fast", "io"));
}

TEST(WordsTest, AQuestionKeepsWhatSaysSomething) {
  EXPECT_THAT(QuestionStems("Why do my huge pages get split?"),
              ElementsAre(StemOf("huge"), StemOf("page"), "split"));
}

TEST(WordsTest, AQuestionOfStopWordsKeepsThem) {
  EXPECT_THAT(QuestionStems("what is it"), ElementsAre("what", "is", "it"));
}

TEST(WordsTest, NamesInAQuestionAreFound) {
  EXPECT_THAT(IdentifiersIn("is CONFIG_NO_HZ_FULL=y better than vm.swappiness, or tcp_rmem?"),
              ElementsAre("NO_HZ_FULL", "vm.swappiness", "tcp_rmem"));
  EXPECT_THAT(IdentifiersIn("make fork cheaper"), IsEmpty());
}

TEST(WordsTest, AnyBytesAreWords) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  EXPECT_FALSE(StemsOf(bytes).empty());
  EXPECT_TRUE(StemsOf(std::string(100'000, 'a')).empty());
}

}  // namespace
}  // namespace hone::agent

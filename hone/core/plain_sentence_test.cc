// SPDX-License-Identifier: Apache-2.0
#include "hone/core/plain_sentence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

const IdeaWords kSaid{{"memory", {"memory", "ram"}},
                      {"system calls", {"systemcall", "syscall"}},
                      {"security", {"security", "secure"}},
                      {"throughput", {"fast", "faster"}}};

TEST(PlainSentenceTest, WordsAndPairsOfWordsAreIdeas) {
  const PlainSentence understood = Understand("Faster system calls and more RAM!", kSaid);
  EXPECT_THAT(IdeasWithWords(understood),
              ElementsAre("memory (ram)", "system calls", "throughput (faster)"));
  EXPECT_THAT(understood.others, IsEmpty());
  EXPECT_THAT(understood.without, IsEmpty());
}

TEST(PlainSentenceTest, WhatIsNotWantedOrGivenUpIsLeftAside) {
  for (const char* sentence :
       {"faster, without security", "faster, give up security", "giving up all security: faster",
        "faster, not secure", "security is fine, but faster; no security"}) {
    const PlainSentence understood = Understand(sentence, kSaid);
    EXPECT_THAT(understood.without, ElementsAre("security")) << sentence;
    EXPECT_FALSE(understood.ideas.contains("security")) << sentence;
  }
}

TEST(PlainSentenceTest, ANegationEndsWithItsClause) {
  const PlainSentence understood = Understand("not security, memory", kSaid);
  EXPECT_THAT(understood.without, ElementsAre("security"));
  EXPECT_THAT(IdeasWithWords(understood), ElementsAre("memory"));
  EXPECT_TRUE(Understand("faster, keep security", kSaid).ideas.contains("security"));
}

TEST(PlainSentenceTest, WhatMeansNothingHereIsKept) {
  EXPECT_THAT(Understand("a purple kernel with fast elephants", kSaid).others,
              ElementsAre("purple", "elephants"));
  EXPECT_THAT(Understand("", kSaid).words, UnorderedElementsAre(""));
}

}  // namespace
}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/reason/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "hone/base/temp_dir.h"
#include "hone/kconfig/reason/text_tree_for_test.h"

namespace hone::kconfig {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kSearchTree = R"(mainmenu "Test"

menu "Memory"

config NUMA
	bool "NUMA memory"
	help
	  Memory that is near to some processors.

config NUMA_BALANCING
	bool "Balance pages between nodes"
	depends on NUMA
	help
	  Moves pages to the node that uses them.

config SHIFT
	int "Log buffer size"
	range 12 25
	default 17
	help
	  A larger buffer keeps more messages. Has nothing to do with balancing.

endmenu

config INNER
	bool
)";

class SearchTest : public ::testing::Test {
 protected:
  std::vector<std::string> Names(std::string_view query, std::size_t max = 10) {
    auto index = OptionIndex::Make(tree_.index);
    EXPECT_TRUE(index);
    auto hits = index->Search(tree_.configuration, query, max);
    EXPECT_TRUE(hits) << hits.error().message;
    std::vector<std::string> names;
    for (const SearchHit& hit : *hits) names.emplace_back(tree_.tree().symbol(hit.symbol).name);
    return names;
  }

  TextTree tree_{kSearchTree};
};

TEST_F(SearchTest, ExactNameThenPrefixThenWords) {
  EXPECT_THAT(Names("numa"), ElementsAre("NUMA", "NUMA_BALANCING"));
  EXPECT_THAT(Names("CONFIG_NUMA_BALANCING"), ElementsAre("NUMA_BALANCING"));
  EXPECT_THAT(Names("numa balancing"), ElementsAre("NUMA_BALANCING"));
  EXPECT_THAT(Names("balancing"), ElementsAre("NUMA_BALANCING", "SHIFT"));
}

TEST_F(SearchTest, FindsWordsInPromptAndHelpInAnyForm) {
  EXPECT_THAT(Names("larger buffers"), ElementsAre("SHIFT"));
  EXPECT_THAT(Names("move page"), ElementsAre("NUMA_BALANCING"));
  EXPECT_THAT(Names("log messages"), ElementsAre("SHIFT"));
}

TEST_F(SearchTest, TakesAnyWordIfNoSymbolHasAll) {
  EXPECT_THAT(Names("larger processors"), ::testing::UnorderedElementsAre("SHIFT", "NUMA"));
}

TEST_F(SearchTest, StrangeQueriesFindNothingAndBreakNothing) {
  for (const char* query : {"", "\"", "*", "zz\" OR \"qq", "::", "zzzz", "-", "^x", "name:zz"}) {
    EXPECT_THAT(Names(query), IsEmpty()) << query;
  }
  EXPECT_THAT(Names("numa", 1), ElementsAre("NUMA"));
}

TEST_F(SearchTest, AHitHasAllThatOneMustKnow) {
  auto index = OptionIndex::Make(tree_.index);
  ASSERT_TRUE(index);
  const auto hits = index->Search(tree_.configuration, "SHIFT", 1);
  ASSERT_TRUE(hits);
  ASSERT_EQ(hits->size(), 1U);
  const SearchHit& hit = hits->front();
  EXPECT_EQ(hit.match, MatchKind::kName);
  EXPECT_EQ(hit.prompt, "Log buffer size");
  EXPECT_THAT(hit.menu_path, ElementsAre("Test", "Memory"));
  EXPECT_EQ(hit.value, "17");
  EXPECT_EQ(hit.default_value, "17");
  EXPECT_EQ(hit.lowest, "12");
  EXPECT_EQ(hit.highest, "25");
  EXPECT_THAT(hit.help, HasSubstr("larger buffer"));
  EXPECT_EQ(tree_.tree().Show(hit.where), "Kconfig:16");
  EXPECT_EQ(DescribeSymbol(tree_.configuration, tree_.Id("NUMA_BALANCING")).depends_on, "NUMA");
}

TEST_F(SearchTest, IsKeptOnDiskUnderTheIdentityOfTheTree) {
  const auto folder = TempDir::Make("hone-search");
  ASSERT_TRUE(folder);
  for (int i = 0; i < 2; ++i) {
    auto index = OptionIndex::Open(tree_.index, folder->path());
    ASSERT_TRUE(index) << index.error().message;
    EXPECT_EQ(index->Search(tree_.configuration, "numa", 5)->size(), 2U);
  }
  TextTree other("config OTHER\n\tbool \"other\"\n");
  auto index = OptionIndex::Open(other.index, folder->path());
  ASSERT_TRUE(index);
  EXPECT_THAT(*index->Search(other.configuration, "numa", 5), IsEmpty());
  std::size_t databases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder->path())) {
    if (entry.path().extension() == ".sqlite") ++databases;
  }
  EXPECT_EQ(databases, 2U);
}

}  // namespace
}  // namespace hone::kconfig

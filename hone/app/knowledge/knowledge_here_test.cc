// SPDX-License-Identifier: Apache-2.0
#include "hone/app/knowledge/knowledge_here.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <utility>

#include "hone/agent/knowledge/knowledge_search.h"
#include "hone/app/knowledge/knowledge_sources.h"
#include "hone/base/file.h"
#include "hone/base/temp_dir.h"
#include "hone/domains/kconfig/options/option_knowledge.h"
#include "hone/domains/sysctl/knowledge/knowledge.h"
#include "hone/testing/fake_clock.h"
#include "hone/tune/campaign/history_for_test.h"

namespace hone::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class KnowledgeHereTest : public ::testing::Test {
 protected:
  KnowledgePlace Place() const {
    return {folder_.path() / "base.sqlite", folder_.path() / "no.db"};
  }
  void Write(const std::string& path, const std::string& text) {
    ASSERT_TRUE(MakeFolder((folder_.path() / path).parent_path()));
    ASSERT_TRUE(WriteFileAtomically(folder_.path() / path, text));
  }

  // A search of one trial, which ended in no gain.
  static std::string StoreSearch(tune::CampaignStore& store, const std::string& submitter = "") {
    tune::HistoryBuilder builder;
    builder.AddTrial(0, 0.1);
    tune::CampaignStart start = builder.history().campaign.start;
    start.submitter = submitter;
    const auto id = store.Create(start);
    EXPECT_TRUE(id) << id.error().message;
    std::size_t index = 0;
    for (const auto& stored : builder.history().decisions) {
      EXPECT_TRUE(store.Append(*id, index++, stored.decision));
    }
    tune::Verdict verdict;
    verdict.reason = "nothing was shown";
    EXPECT_TRUE(store.Finish(*id, verdict));
    return *id;
  }

  TempDir folder_ = std::move(*TempDir::Make("hone-knowledge-here-test"));
  FakeClock clock_;
};

TEST(KnowledgeSourcesTest, EveryParameterAndEveryKnownOptionIsAPassage) {
  std::size_t parameters = 0;
  std::size_t options = 0;
  for (const agent::PassageGroup& group : DataPassages()) {
    EXPECT_FALSE(group.digest.empty());
    for (const agent::Passage& passage : group.passages) {
      EXPECT_FALSE(passage.names.empty());
      EXPECT_FALSE(passage.title.empty()) << passage.names.front();
      EXPECT_THAT(passage.source, HasSubstr(group.origin));
      ++(passage.kind == agent::PassageKind::kParameter ? parameters : options);
    }
  }
  EXPECT_EQ(parameters, sysctl::Knowledge::Builtin().all().size());
  EXPECT_EQ(options, kernels::OptionKnowledge::BuiltIn().all().size());
}

TEST_F(KnowledgeHereTest, OurDataAnswersWithoutATree) {
  auto base = OpenKnowledge(Place(), clock_);
  ASSERT_TRUE(base) << base.error().message;
  const auto hits = agent::SearchKnowledge(*base, "the machine swaps too much");
  ASSERT_TRUE(hits);
  std::vector<std::string> sources;
  for (const auto& hit : *hits) sources.push_back(hit.passage.source);
  EXPECT_THAT(sources, testing::Contains("data/parameters/vm.json: vm.swappiness"));
  const auto tree = TreeOfBase(*base);
  ASSERT_FALSE(tree);
  EXPECT_THAT(tree.error().message, HasSubstr("hone knowledge build"));
}

TEST_F(KnowledgeHereTest, ATreeIsBuiltIntoTheBase) {
  Write("tree/Kconfig",
        "mainmenu \"Test\"\nconfig NET\n\tbool \"Networking\"\n\n"
        "config TICKLESS\n\tbool \"No ticks\"\n\tdepends on NET\n");
  Write("tree/Documentation/zebra.rst", "Zebra\n=====\n\nStriped.\n");
  const auto report =
      BuildKnowledgeHere(Place(), clock_, {folder_.path() / "tree", "", ""}, nullptr);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->documents, 1U);
  EXPECT_EQ(report->options, 2U);
  const auto tools = MakeKnowledgeToolsHere(Place(), clock_);
  const auto found = tools.at(0).use({{"question", "zebra"}});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(*found, HasSubstr("Documentation/zebra.rst:4"));
  const auto blocked = tools.at(2).use({{"setting", "TICKLESS=y"}});
  ASSERT_TRUE(blocked) << blocked.error().message;
  EXPECT_THAT(*blocked, HasSubstr("NET"));
}

TEST_F(KnowledgeHereTest, WhatBlocksIsToldOfTheConfigurationAtHandAndNotOfTheDefaults) {
  Write("tree/Kconfig",
        "mainmenu \"Test\"\nconfig NET\n\tbool \"Networking\"\n\n"
        "config TICKLESS\n\tbool \"No ticks\"\n\tdepends on NET\n");
  Write(".config", "CONFIG_NET=y\n");
  const auto at_hand = LoadOptionGround({folder_.path() / "tree", "", folder_.path() / ".config"});
  ASSERT_TRUE(at_hand) << at_hand.error().message;
  const auto tools = MakeKnowledgeToolsHere(Place(), clock_, [&] { return at_hand; });
  EXPECT_THAT(tools.at(2).description.description, HasSubstr("in the configuration at hand"));
  const auto blocked = tools.at(2).use({{"setting", "TICKLESS=y"}});
  ASSERT_TRUE(blocked) << blocked.error().message;
  EXPECT_THAT(*blocked, Not(HasSubstr("NET")));
  EXPECT_THAT(MakeKnowledgeToolsHere(Place(), clock_).at(2).description.description,
              HasSubstr("by the defaults of the tree that the base was built from"));
}

TEST_F(KnowledgeHereTest, TheBaseIsOpenedWhenAToolIsFirstUsed) {
  const auto tools = MakeKnowledgeToolsHere(Place(), clock_);
  EXPECT_FALSE(std::filesystem::exists(Place().base));
  const auto found = tools.at(0).use({{"question", "swapping"}});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_TRUE(std::filesystem::exists(Place().base));
}

TEST_F(KnowledgeHereTest, AFolderThatIsNotThereIsSaid) {
  const auto report =
      BuildKnowledgeHere(Place(), clock_, {folder_.path() / "missing", "", ""}, nullptr);
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message, HasSubstr("give the folder of a kernel's source"));
}

TEST_F(KnowledgeHereTest, AConcretePathIsKnownByItsPattern) {
  EXPECT_EQ(KnownNameOf("/sys/block/sda/queue/scheduler"), "/sys/block/*/queue/scheduler");
  EXPECT_EQ(KnownNameOf("NO_HZ_FULL"), "NO_HZ_FULL");
}

TEST_F(KnowledgeHereTest, WhatACampaignMeasuredIsInTheBaseAndGoesWithIt) {
  const KnowledgePlace place{folder_.path() / "base.sqlite", folder_.path() / "hone.db"};
  auto store = tune::CampaignStore::Open(place.store, clock_);
  ASSERT_TRUE(store) << store.error().message;
  const std::string id = StoreSearch(*store);
  const auto tools = MakeKnowledgeToolsHere(place, clock_);
  for (const auto& [tool, arguments] :
       {std::pair{3, Json{{"name", "threads"}}}, std::pair{1, Json{{"name", "threads"}}},
        std::pair{0, Json{{"question", "campaign threads"}}}}) {
    const auto answer = tools.at(static_cast<std::size_t>(tool)).use(arguments);
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_THAT(*answer, HasSubstr("campaign " + id)) << tool;
    EXPECT_THAT(*answer, HasSubstr("false + 1 -> true + 2")) << tool;
    EXPECT_THAT(*answer, HasSubstr("2023-11-14")) << tool;
  }
  ASSERT_TRUE(store->Forget(id));
  auto base = OpenKnowledge(place, clock_);
  ASSERT_TRUE(base) << base.error().message;
  EXPECT_EQ(base->Contents()->passages[static_cast<std::size_t>(agent::PassageKind::kMeasured)], 0);
}

// Whoever asks, the base and the tools are the same.
TEST_F(KnowledgeHereTest, WhatASubmittersCampaignMeasuredIsToldToNobodyElse) {
  const KnowledgePlace place{folder_.path() / "base.sqlite", folder_.path() / "hone.db"};
  auto store = tune::CampaignStore::Open(place.store, clock_);
  ASSERT_TRUE(store) << store.error().message;
  const std::string id = StoreSearch(*store, "ada");
  const auto tools = MakeKnowledgeToolsHere(place, clock_);
  for (const auto& [tool, arguments] :
       {std::pair{3, Json{{"name", "threads"}}}, std::pair{1, Json{{"name", "threads"}}},
        std::pair{0, Json{{"question", "campaign threads"}}}}) {
    const auto answer = tools.at(static_cast<std::size_t>(tool)).use(arguments);
    EXPECT_THAT(answer ? *answer : answer.error().message, Not(HasSubstr(id))) << tool;
  }
  EXPECT_THAT(EffectsHere(place, clock_, {"bob", false}).value(), testing::IsEmpty());
  EXPECT_FALSE(EffectsHere(place, clock_, {"ada", false})->empty());
  EXPECT_FALSE(EffectsHere(place, clock_)->empty()) << "who has the store has all of it";
}

TEST_F(KnowledgeHereTest, WithoutAStoreNothingWasMeasured) {
  const auto effects = EffectsHere(Place(), clock_);
  ASSERT_TRUE(effects) << effects.error().message;
  EXPECT_TRUE(effects->empty());
}

}  // namespace
}  // namespace hone::app

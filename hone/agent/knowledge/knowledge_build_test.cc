// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/knowledge/knowledge_build.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/agent/knowledge/knowledge_search.h"
#include "hone/base/file.h"
#include "hone/base/temp_dir.h"
#include "hone/kconfig/reason/text_tree_for_test.h"

namespace hone::agent {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr char kOptions[] =
    "config NET\n\tbool \"Networking\"\n\thelp\n\t  Sockets of all sorts.\n\n"
    "config TICKLESS\n\tbool \"No ticks\"\n\tdepends on NET\n\thelp\n\t  Saves \x1b[1mpower.\n\n"
    "config HIDDEN\n\tbool\n\tdefault y\n";

class KnowledgeBuildTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Write("Documentation/mm/ksm.rst", "KSM\n===\n\nMerges equal pages.\n");
    Write("Documentation/power.rst", "Power\n=====\n\nSleeps deeply.\n");
  }
  void Write(const std::string& path, const std::string& text) {
    ASSERT_TRUE(MakeFolder((folder_.path() / path).parent_path()));
    ASSERT_TRUE(WriteFileAtomically(folder_.path() / path, text));
  }
  BuildReport Build(const std::string& options = kOptions) {
    const kconfig::TextTree tree(options);
    const auto report = BuildKnowledge(
        *base_, {.root = folder_.path(), .options = tree.index, .facts = {{"arch", "x86"}}}, {},
        nullptr);
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(BuildReport());
  }

  TempDir folder_ = std::move(*TempDir::Make("hone-knowledge-build-test"));
  Result<KnowledgeBase> base_ = KnowledgeBase::OpenInMemory();
};

TEST_F(KnowledgeBuildTest, OptionsAndDocumentsAreFoundWithTheirSources) {
  const BuildReport report = Build();
  EXPECT_EQ(report.documents, 2U);
  EXPECT_EQ(report.options, 3U);
  const auto option = base_->Named("TICKLESS", 5);
  ASSERT_THAT(*option, SizeIs(1));
  EXPECT_EQ(option->front().source, "Kconfig:6");
  EXPECT_THAT(option->front().facts, HasSubstr("depends on: NET"));
  EXPECT_THAT(option->front().text, HasSubstr("\\x1b[1mpower"));
  const auto hits = SearchKnowledge(*base_, "merge equal pages");
  ASSERT_FALSE(hits->empty());
  EXPECT_EQ(hits->front().passage.source, "Documentation/mm/ksm.rst:4");
  EXPECT_EQ(base_->Facts()->at("arch"), "x86");
}

TEST_F(KnowledgeBuildTest, WhatDidNotChangeIsKept) {
  Build();
  const BuildReport again = Build();
  EXPECT_EQ(again.changed_documents, 0U);
  EXPECT_FALSE(again.is_options_changed);
  Write("Documentation/power.rst", "Power\n=====\n\nNever sleeps.\n");
  const BuildReport changed = Build(std::string(kOptions) + "config MORE\n\tbool \"More\"\n");
  EXPECT_EQ(changed.changed_documents, 1U);
  EXPECT_TRUE(changed.is_options_changed);
  EXPECT_THAT(SearchKnowledge(*base_, "never sleeps")->front().passage.text, HasSubstr("Never"));
  EXPECT_THAT(*base_->Named("MORE", 5), SizeIs(1));
}

TEST_F(KnowledgeBuildTest, WhatIsGoneFromTheTreeIsGoneFromTheBase) {
  Build();
  std::filesystem::remove(folder_.path() / "Documentation/power.rst");
  EXPECT_EQ(Build().gone, 1U);
  EXPECT_TRUE(SearchKnowledge(*base_, "sleeps")->empty());
}

TEST_F(KnowledgeBuildTest, OurOwnPassagesAreRefreshedOnlyWhenTheyChanged) {
  PassageGroup own{"data", "1", {}};
  own.passages.push_back({.kind = PassageKind::kParameter,
                          .names = {"vm.x"},
                          .title = "X",
                          .text = "",
                          .source = "s"});
  EXPECT_TRUE(*RefreshOwn(*base_, {own}));
  EXPECT_FALSE(*RefreshOwn(*base_, {own}));
  own.digest = "2";
  own.passages.clear();
  EXPECT_TRUE(*RefreshOwn(*base_, {own}));
  EXPECT_TRUE(base_->Named("vm.x", 5)->empty());
}

TEST_F(KnowledgeBuildTest, WhatCannotBeReadIsSaid) {
  Write("Documentation/large.txt", std::string(5 << 20, 'x'));
  EXPECT_THAT(Build().notes, Contains(HasSubstr("large.txt")));
}

}  // namespace
}  // namespace hone::agent

// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/options/option_knowledge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <utility>

#include "hone/domains/kconfig/options/kernel_texts.h"
#include "hone/domains/kconfig/options/protected_options.h"
#include "hone/kconfig/reason/kernel_for_test.h"

namespace hone::kernels {
namespace {

using ::testing::HasSubstr;

constexpr char kEntry[] =
    R"({"name": "A", "about": ["memory"], "better": {"size": "n"}, "why": "w", "source": "s")";

std::string Document(const std::string& options) {
  return R"({"format": "hone-kernel-options", "format_version": 1, "options": [)" + options + "]}";
}

std::string FaultOf(const std::string& options) {
  const auto read = OptionKnowledge::Read(Document(options), "known");
  return read ? "no fault" : read.error().message;
}

// {6, 1} of "6.1" and "6.1.192"; {0, 0} of what is no version.
std::pair<int, int> Version(const std::string& text) {
  std::pair<int, int> version;
  if (std::sscanf(text.c_str(), "%d.%d", &version.first, &version.second) != 2) return {};
  return version;
}

TEST(OptionKnowledgeTest, WhatIsEmbeddedCanBeRead) {
  const std::string name = "data/kernels/knowledge.json";
  const auto read = OptionKnowledge::Read(std::string(KernelText(name)), name);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_GE(read->all().size(), 200u);
  const KnownOption* known = OptionKnowledge::BuiltIn().Find("UNWINDER_ORC");
  ASSERT_NE(known, nullptr);
  EXPECT_EQ(known->better.at("throughput"), "y");
  EXPECT_EQ(known->effects.at(0).low, 5);
  EXPECT_EQ(known->effects.at(0).high, 10);
  EXPECT_EQ(known->effects.at(0).unit, "%");
  EXPECT_EQ(OptionKnowledge::BuiltIn().Find("UNWINDER"), nullptr);
}

TEST(OptionKnowledgeTest, EveryEntryIsASentenceWithASource) {
  for (const KnownOption& known : OptionKnowledge::BuiltIn().all()) {
    SCOPED_TRACE(known.name);
    EXPECT_EQ(known.why.back(), '.');
    EXPECT_LE(known.why.size(), 200u);
    EXPECT_TRUE(known.source.starts_with("https://") ||
                known.source.starts_with("Documentation/") ||
                known.source.find("Kconfig") != std::string::npos)
        << known.source;
    for (const std::string& version : {known.since, known.until}) {
      EXPECT_TRUE(version.empty() || Version(version) != std::pair(0, 0)) << version;
    }
    EXPECT_TRUE(known.until.empty() || Version(known.since) <= Version(known.until));
    for (const OptionEffect& effect : known.effects) {
      EXPECT_TRUE(known.better.contains(effect.aim)) << effect.aim << " is better at no value";
    }
  }
}

TEST(OptionKnowledgeTest, WhatIsProtectedIsKnownToBeProtected) {
  for (const KnownOption& known : OptionKnowledge::BuiltIn().all()) {
    const std::string reason = ProtectedOptions::BuiltIn().ReasonFor(known.name);
    EXPECT_EQ(known.protected_for.empty(), reason.empty()) << known.name << ": " << reason;
  }
}

TEST(OptionKnowledgeTest, EveryTopicAndAimHasItsOptions) {
  std::set<std::string> used;
  for (const KnownOption& known : OptionKnowledge::BuiltIn().all()) {
    used.insert(known.about.begin(), known.about.end());
    for (const auto& [aim, value] : known.better) used.insert(aim);
  }
  for (const auto* words : {&KnownTopics(), &KnownAims()}) {
    for (const std::string& word : *words) EXPECT_TRUE(used.contains(word)) << word;
  }
}

TEST(OptionKnowledgeTest, AFaultNamesItsPlace) {
  EXPECT_EQ(FaultOf(std::string(kEntry) + "}"), "no fault");
  EXPECT_THAT(FaultOf(std::string(kEntry) + R"(, "size": 1})"), HasSubstr("size"));
  EXPECT_THAT(FaultOf(std::string(kEntry) + "}," + kEntry + "}"),
              HasSubstr("A: it is there twice"));
  EXPECT_THAT(FaultOf(std::string(kEntry) + R"(, "effects": ["size much"]})"),
              HasSubstr("AIM LOW..HIGH UNIT"));
  EXPECT_THAT(FaultOf(std::string(kEntry) + R"(, "effects": ["size 9..4 KiB"]})"),
              HasSubstr("AIM LOW..HIGH UNIT"));
  EXPECT_THAT(FaultOf(std::string(kEntry) + R"(, "arch": ["vax"]})"), HasSubstr("vax"));
  EXPECT_THAT(FaultOf(R"({"name": "A", "about": ["music"], "better": {"size": "n"}, "why": "w",
                         "source": "s"})"),
              HasSubstr("/options/0/about/0"));
  EXPECT_THAT(FaultOf(R"({"name": "A", "about": ["files"], "better": {"fun": "n"}, "why": "w",
                         "source": "s"})"),
              HasSubstr("no such aim"));
  EXPECT_FALSE(OptionKnowledge::Read("{}", "known"));
}

// Linux 6.1 for the processors that guests have.
class OptionKnowledgeTreeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto folder = kconfig::KernelFolder();
    if (!std::filesystem::exists(folder / "Kconfig")) {
      GTEST_SKIP() << "needs a kernel's source: scripts/kernel-tree";
    }
    version_ = Version(kconfig::KernelVersion(folder));
    for (const char* arch : {"x86_64", "arm64", "riscv"}) {
      const auto place = kconfig::LocateTree(folder, arch);
      ASSERT_TRUE(place) << place.error().message;
      const kconfig::Environment environment{{"PATH", "/usr/bin:/bin"}};
      const auto tree = kconfig::LoadTreeOrError(
          kconfig::OptionsFor(*place, environment, kconfig::ShellPolicy::kRun));
      ASSERT_TRUE(tree) << tree.error().message;
      trees_.emplace(arch, *tree);
    }
  }

  bool IsOfThisVersion(const KnownOption& known) const {
    return Version(known.since) <= version_ &&
           (known.until.empty() || version_ <= Version(known.until));
  }

  // The files that define it with a prompt, of a symbol whose type fits what is said to be better.
  static std::set<std::string> PlacesIn(const kconfig::Tree& tree, const KnownOption& known) {
    std::set<std::string> places;
    const kconfig::SymbolId id = tree.Find(known.name);
    if (id == kconfig::kNone || tree.symbol(id).first_menu == kconfig::kNone) return places;
    const bool is_logical = kconfig::IsLogical(tree.symbol(id).type);
    for (const auto& [aim, value] : known.better) {
      EXPECT_EQ(is_logical, value == "y" || value == "n") << known.name << " " << aim;
    }
    for (auto at = tree.symbol(id).first_menu; at != kconfig::kNone;
         at = tree.menu(at).next_definition) {
      const kconfig::MenuNode& node = tree.menu(at);
      if (node.prompt != kconfig::kNone) places.insert(tree.files()[node.where.file].name);
    }
    return places;
  }

  std::map<std::string, std::shared_ptr<const kconfig::Tree>> trees_;
  std::pair<int, int> version_;
};

TEST_F(OptionKnowledgeTreeTest, EveryOptionCanBeSetWhereItIsSaidToBe) {
  for (const KnownOption& known : OptionKnowledge::BuiltIn().all()) {
    if (!IsOfThisVersion(known)) continue;
    std::set<std::string> places;
    for (const auto& [arch, tree] : trees_) {
      const auto& arches = known.arches;
      const bool is_said =
          arches.empty() || std::find(arches.begin(), arches.end(), arch) != arches.end();
      const auto some = PlacesIn(*tree, known);
      EXPECT_TRUE(!is_said || !some.empty()) << known.name << " cannot be set on " << arch;
      places.insert(some.begin(), some.end());
    }
    if (known.source.find("Kconfig") != std::string::npos) {
      EXPECT_TRUE(places.contains(known.source)) << known.name << " is not in " << known.source;
    }
  }
}

}  // namespace
}  // namespace hone::kernels

// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/knowledge/documents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"

namespace hone::agent {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class DocumentsTest : public ::testing::Test {
 protected:
  void Write(const std::string& path, const std::string& text) {
    ASSERT_TRUE(MakeFolder((root() / path).parent_path()));
    ASSERT_TRUE(WriteFileAtomically(root() / path, text));
  }
  const fs::path& root() const { return folder_.path(); }

  TempDir folder_ = std::move(*TempDir::Make("hone-documents-test"));
};

TEST_F(DocumentsTest, TextsAreListedInOrderAndTranslationsAreNot) {
  Write("Documentation/mm/b.rst", "b");
  Write("Documentation/mm/a.txt", "a");
  Write("Documentation/mm/picture.svg", "<svg/>");
  Write("Documentation/ABI/stable/sysfs-block", "What: /sys/x");
  Write("Documentation/translations/zh_CN/a.rst", "a");
  const auto list = ListDocuments(root());
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_THAT(list->paths, ElementsAre("Documentation/ABI/stable/sysfs-block",
                                       "Documentation/mm/a.txt", "Documentation/mm/b.rst"));
}

TEST_F(DocumentsTest, LinksAreNotFollowed) {
  Write("Documentation/a.rst", "a");
  Write("outside/secret.rst", "secret");
  fs::create_symlink(root() / "outside", root() / "Documentation/folder");
  fs::create_symlink(root() / "outside/secret.rst", root() / "Documentation/file.rst");
  fs::create_symlink(".", root() / "Documentation/circle");
  const auto list = ListDocuments(root());
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_THAT(list->paths, ElementsAre("Documentation/a.rst"));
  EXPECT_THAT(list->notes, Contains(HasSubstr("3 links")));
}

TEST_F(DocumentsTest, AFolderThatIsALinkIsRefused) {
  Write("outside/secret.rst", "secret");
  fs::create_symlink(root() / "outside", root() / "Documentation");
  const auto list = ListDocuments(root());
  ASSERT_FALSE(list);
  EXPECT_THAT(list.error().message, HasSubstr("link"));
}

TEST_F(DocumentsTest, WhatGoesOverALimitIsLeftOutAndSaid) {
  Write("Documentation/a.rst", "a");
  Write("Documentation/large.rst", std::string(2'000, 'x'));
  Write("Documentation/1/2/3/deep.rst", "deep");
  const auto list = ListDocuments(root(), {.depth = 2, .file_bytes = 1'000});
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_THAT(list->paths, ElementsAre("Documentation/a.rst"));
  EXPECT_THAT(list->notes, Contains(HasSubstr("large.rst: 2000 bytes")));
  EXPECT_THAT(list->notes, Contains(HasSubstr("deeper than 2")));
  const auto few = ListDocuments(root(), {.files = 1});
  ASSERT_TRUE(few);
  EXPECT_EQ(few->paths.size(), 1U);
  EXPECT_THAT(few->notes, Contains(HasSubstr("the rest is left out")));
}

TEST_F(DocumentsTest, ATreeWithoutDocumentationHasNone) {
  const auto list = ListDocuments(root());
  ASSERT_TRUE(list);
  EXPECT_THAT(list->paths, IsEmpty());
  EXPECT_THAT(list->notes, ElementsAre(HasSubstr("no folder Documentation")));
}

TEST(DocumentPassagesTest, ASectionOfASysctlIsAboutIt) {
  NameBook book;
  book.Add("vm.swappiness");
  const auto passages =
      DocumentPassages("Documentation/admin-guide/sysctl/vm.rst",
                       "Title\n=====\nabout\n\nswappiness\n----------\n\nThis control …\n\n"
                       "nr_trim_pages & block_dump\n--------------------------\n\nboth\n",
                       book);
  ASSERT_EQ(passages.size(), 3U);
  EXPECT_EQ(passages[0].kind, PassageKind::kDocument);
  EXPECT_EQ(passages[1].kind, PassageKind::kInterface);
  EXPECT_THAT(passages[1].names, ElementsAre("vm.swappiness"));
  EXPECT_EQ(passages[1].source, "Documentation/admin-guide/sysctl/vm.rst:8");
  EXPECT_THAT(passages[2].names, ElementsAre("vm.nr_trim_pages", "vm.block_dump"));
}

TEST(DocumentPassagesTest, APartOfSeveralNamesIsNotGuessed) {
  NameBook book;
  book.Add("net.ipv4.neigh.default.gc_thresh1");
  book.Add("net.ipv6.neigh.default.gc_thresh1");
  EXPECT_EQ(book.FullName("gc_thresh1"), "gc_thresh1");
}

TEST(DocumentPassagesTest, ControlCharactersDoNotGetIn) {
  const auto passages = DocumentPassages("Documentation/a\x1b[2J.rst",
                                         "T\x1b]0;x\x07\n=====\n\ntext \x1b[31m red\n", NameBook());
  ASSERT_EQ(passages.size(), 1U);
  for (const std::string& text : {passages[0].title, passages[0].text, passages[0].source}) {
    EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
  }
  EXPECT_THAT(passages[0].text, HasSubstr("\\x1b[31m"));
}

}  // namespace
}  // namespace hone::agent

// SPDX-License-Identifier: Apache-2.0
#include "hone/base/sqlite/bm25.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace hone {
namespace {

using Ranks = std::vector<std::pair<std::int64_t, double>>;

class Bm25Test : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(AddBm25Given(database_));
    ASSERT_TRUE(database_.Execute("CREATE VIRTUAL TABLE t USING fts5(title, body)"));
    // Rows of very different lengths, some beyond one byte of any count; one is empty.
    ASSERT_TRUE(database_.Execute(
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 60)"
        "INSERT INTO t(rowid, title, body) SELECT 3 + 7 * i,"
        " CASE i % 5 WHEN 0 THEN 'huge page' WHEN 1 THEN 'page' ELSE 'swap' END,"
        " replace(hex(zeroblob(i * i)), '00', iif(i % 3, 'page of a ', 'huge swap ')) FROM n;"
        "INSERT INTO t(rowid) VALUES (1)"));
  }

  Ranks RanksBy(const std::string& function, const std::string& lengths) {
    auto rows = database_.Prepare("SELECT rowid, " + function + " FROM t WHERE t MATCH ?1");
    EXPECT_TRUE(rows) << rows.error().message;
    rows->Bind(1, "huge OR {title} : page OR \"a page\"");
    if (!lengths.empty()) rows->BindBytes(2, lengths);
    Ranks ranks;
    while (rows->Step().value_or(false)) ranks.emplace_back(rows->Integer(0), rows->Number(1));
    return ranks;
  }

  Database database_ = *Database::OpenInMemory();
};

TEST_F(Bm25Test, IsSqlitesOwnToTheLastBit) {
  const auto lengths = Bm25Lengths(database_, "t");
  ASSERT_TRUE(lengths) << lengths.error().message;
  const Ranks own = RanksBy("bm25(t, 10.0, 1.5)", "");
  EXPECT_GT(own.size(), 40U);
  EXPECT_EQ(RanksBy("bm25_given(t, ?2, 10.0, 1.5)", *lengths), own);
  EXPECT_EQ(RanksBy("bm25_given(t, ?2)", *lengths), RanksBy("bm25(t)", ""));
}

TEST_F(Bm25Test, ARowWithoutALengthIsRankedAsAShortOne) {
  const auto lengths = Bm25Lengths(database_, "t");
  ASSERT_TRUE(lengths);
  const Ranks known = RanksBy("bm25_given(t, ?2)", *lengths);
  const Ranks unknown = RanksBy("bm25_given(t, ?2)", lengths->substr(0, 1));
  ASSERT_EQ(known.size(), unknown.size());
  for (std::size_t i = 0; i < known.size(); ++i) EXPECT_LT(unknown[i].second, known[i].second);
}

TEST_F(Bm25Test, WithoutLengthsItIsAnError) {
  auto row = database_.Prepare("SELECT bm25_given(t) FROM t WHERE t MATCH 'page'");
  ASSERT_TRUE(row);
  EXPECT_FALSE(row->Step());
}

}  // namespace
}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "hone/base/file.h"
#include "tests/e2e/hone_process.h"

namespace hone {
namespace {

using testing::HasSubstr;

// Ten menus with a bool, a tristate and a number each; ITEM_0 needs what lies in other menus.
std::string TreeText() {
  std::string text =
      "mainmenu \"Small tree\"\nconfig MODULES\n\tbool \"modules\"\n\tdefault y\n\tmodules\n";
  for (int i = 0; i < 10; ++i) {
    text += fmt::format(
        "menu \"Menu {0}\"\nconfig UNIT{0}_{1}\n\tbool \"unit {1}\"\nconfig PART{0}_{1}\n"
        "\ttristate \"part {1}\"\n{2}config SIZE{0}_{1}\n\tint \"size {1}\"\n\trange 1 1000\n"
        "\tdefault 10\nendmenu\n",
        i, 7919 * (i + 1), i == 0 ? "\tdepends on UNIT1_15838 && UNIT2_23757\n" : "");
  }
  return text;
}

class DataCommandTest : public HoneTest {
 protected:
  void SetUp() override {
    ASSERT_TRUE(MakeFolder(Tree()));
    ASSERT_TRUE(WriteFileDurably(Tree() + "/Kconfig", TreeText()));
  }
  std::string Tree() const { return (Folder() / "tree").string(); }
  std::string File(const std::string& name) const { return (Folder() / name).string(); }
};

TEST_F(DataCommandTest, FromATreeToATrainersRows) {
  const Json made = RunJson({"data", "questions", Tree(), "--goal", "use part 7919", "--needs",
                             "PART0_7919=y", "-o", File("set.jsonl")});
  EXPECT_GT(made["labelled"], 20) << made.dump();
  EXPECT_EQ(made["labelled"], made["questions"]);
  const ProcessResult dealt =
      Run({"data", "split", File("set.jsonl"), "--by", "option", "-o", File("dealt.jsonl")});
  EXPECT_EQ(dealt.status, 0) << dealt.errors;
  EXPECT_THAT(dealt.errors, HasSubstr("nothing leaks"));
  const Json checked = RunJson({"data", "check", File("dealt.jsonl")});
  EXPECT_EQ(checked["leak_free_by_option"], true);
  EXPECT_EQ(checked["leak_free_by_goal"], false);
  EXPECT_EQ(Run({"data", "check", File("dealt.jsonl"), "--by", "goal"}).status, 1);
  const Json rows = RunJson({"data", "export", File("dealt.jsonl"), "--as", "verl"});
  ASSERT_EQ(rows["rows"].size(), made["questions"]) << rows.dump();
  EXPECT_EQ(rows["rows"][0]["reward_model"]["style"], "rule");
}

TEST_F(DataCommandTest, ASetThatIsNoFileIsRefusedAndNotWaitedFor) {
  ASSERT_EQ(::mkfifo(File("pipe.jsonl").c_str(), 0600), 0);
  const std::vector<std::vector<std::string>> actions{
      {"check"}, {"split"}, {"import"}, {"export", "--as", "trl"}};
  for (std::vector<std::string> words : actions) {
    words.insert(words.begin(), "data");
    words.insert(words.begin() + 2, File("pipe.jsonl"));
    const ProcessResult refused = Run(words);
    EXPECT_NE(refused.status, 0) << words[1];
    EXPECT_THAT(refused.errors, HasSubstr("pipe.jsonl: not a regular file but a pipe")) << words[1];
  }
  const ProcessResult scored = Run({"rewards", "score", File("pipe.jsonl"), File("pipe.jsonl")});
  EXPECT_THAT(scored.errors, HasSubstr("pipe.jsonl: not a regular file but a pipe"));
}

TEST_F(DataCommandTest, ResponsesAreScoredByTheirLabels) {
  ASSERT_EQ(Run({"data", "questions", Tree(), "--goal", "x", "--needs", "PART0_7919=y", "-o",
                 File("set.jsonl")})
                .status,
            0);
  std::string responses;
  const Json set = RunJson({"data", "export", File("set.jsonl"), "--as", "trl"});
  for (const Json& row : set["rows"]) {
    responses += Dump({{"id", row["id"]}, {"response", "<answer>\n</answer>"}}) + "\n";
  }
  ASSERT_TRUE(WriteFileDurably(File("responses.jsonl"), responses));
  const Json scores = RunJson({"rewards", "score", File("set.jsonl"), File("responses.jsonl")});
  EXPECT_EQ(scores["rewarded"], set["rows"].size());
  EXPECT_LT(scores["mean"], 1);
  EXPECT_GT(scores["mean"], 0);
}

TEST_F(DataCommandTest, CampaignsBecomeEpisodes) {
  ASSERT_LE(Run({"tune", "toy", "--engine", "random", "--trials", "4", "-q"}).status, 4);
  const Json episodes = RunJson({"data", "episodes", "last"});
  ASSERT_GE(episodes["rows"].size(), 4U) << episodes.dump();
  EXPECT_TRUE(episodes["rows"][0]["reward"].is_number());
  EXPECT_EQ(episodes["rows"][0]["messages"][2]["role"], "assistant");
}

TEST_F(DataCommandTest, FaultsSayWhatToDo) {
  EXPECT_THAT(Run({"data", "questions", Tree()}).errors, HasSubstr("--goal: missing"));
  EXPECT_THAT(Run({"data", "question", Tree()}).errors, HasSubstr("did you mean questions?"));
  ASSERT_TRUE(WriteFileDurably(File("bad.jsonl"), "{}\n"));
  const ProcessResult bad = Run({"data", "check", File("bad.jsonl")});
  EXPECT_EQ(bad.status, 2);
  EXPECT_THAT(bad.errors, HasSubstr("bad.jsonl:1"));
}

}  // namespace
}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "hone/base/json/records.h"
#include "hone/tune/campaign/history_for_test.h"

namespace hone::tune {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::SizeIs;

// A reader of RFC 4180, written from the standard.
std::vector<std::vector<std::string>> ParseCsv(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> row;
  std::string field;
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      field += text[++i];
    } else if (c == '"') {
      is_quoted = !is_quoted;
    } else if (!is_quoted && (c == ',' || c == '\n')) {
      row.push_back(std::exchange(field, ""));
      if (c == '\n') rows.push_back(std::exchange(row, {}));
    } else if (is_quoted || c != '\r') {
      field += c;
    }
  }
  EXPECT_TRUE(field.empty() && row.empty()) << "the last line does not end";
  return rows;
}

TEST(ExportJsonTest, EverythingReadsBack) {
  CampaignHistory history = HistoryBuilder::Gain();
  history.blocks[0].evaluation.samples[0].metrics["throughput"].value =
      std::numeric_limits<double>::infinity();
  history.campaign.last_error = "once";
  history.campaign.restore_text = "All 2 parameters are as they were.";
  history.campaign.start.needs = {{"toy"}, 64};
  const auto json = ParseJson(ExportJson(history), "export");
  ASSERT_TRUE(json) << json.error().message;
  JsonReader reader(*json, "export");
  const CampaignStart& start = history.campaign.start;
  EXPECT_EQ(reader.At("format").String(), "hone-campaign");
  EXPECT_EQ(reader.At("format_version").Integer(), kExportVersion);
  EXPECT_EQ(reader.At("id").String(), history.campaign.id);
  EXPECT_EQ(reader.At("created_us").Integer(), ToMicroseconds(history.campaign.created));
  EXPECT_EQ(reader.At("updated_us").Integer(), ToMicroseconds(history.campaign.updated));
  EXPECT_EQ(reader.At("state").String(), "done");
  EXPECT_EQ(reader.At("last_error").String(), "once");
  EXPECT_EQ(reader.At("aftermath").String(), "All 2 parameters are as they were.");
  EXPECT_EQ(reader.At("hone_version").String(), start.version);
  EXPECT_EQ(reader.At("machine").Raw().get<decltype(start.machine)>(), start.machine);
  EXPECT_EQ(ReadSpace(reader.At("space")), start.space);
  EXPECT_EQ(ReadCandidate(reader.At("baseline")), start.baseline);
  EXPECT_EQ(ReadCapabilities(reader.At("needs")), start.needs);
  const auto spec = ReadCampaignSpec(reader.At("spec").Raw(), "spec");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(ToJson(*spec), ToJson(start.spec));
  const auto verdict = ReadVerdict(reader.At("verdict").Raw(), "verdict");
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_EQ(ToJson(*verdict), ToJson(*history.campaign.verdict));

  auto decisions = reader.At("decisions").Items();
  ASSERT_THAT(decisions, SizeIs(history.decisions.size()));
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    const StoredDecision& stored = history.decisions[i];
    EXPECT_EQ(decisions[i].At("at_us").Integer(), ToMicroseconds(stored.at));
    EXPECT_EQ(decisions[i].At("kind").String(), stored.decision.kind);
    EXPECT_EQ(decisions[i].At("choice").Raw(), stored.decision.choice);
    EXPECT_EQ(decisions[i].At("grounds").Raw(), stored.decision.grounds);
  }
  auto blocks = reader.At("blocks").Items();
  ASSERT_THAT(blocks, SizeIs(history.blocks.size()));
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const HistoryBlock& block = history.blocks[i];
    EXPECT_EQ(blocks[i].At("name").String(), block.name);
    EXPECT_EQ(ReadCandidate(blocks[i].At("candidate")), block.candidate);
    EXPECT_EQ(ReadCandidate(blocks[i].At("baseline")), block.baseline);
    EXPECT_EQ(blocks[i].At("position").Integer(), block.position);
    EXPECT_EQ(ReadEvaluation(blocks[i].At("evaluation")), block.evaluation);
    blocks[i].RefuseOthers();
  }
  reader.RefuseOthers();
  const auto done = reader.Finish();
  EXPECT_TRUE(done) << done.error().message;
}

TEST(ExportJsonTest, UnfinishedCampaignHasNoVerdict) {
  const auto json = ParseJson(ExportJson(HistoryBuilder().history()), "export");
  ASSERT_TRUE(json) << json.error().message;
  EXPECT_TRUE(json->at("verdict").is_null());
  EXPECT_EQ(json->at("state"), "unfinished");
}

TEST(ExportCsvTest, EveryRunHasALineThatReadsBack) {
  CampaignHistory history = HistoryBuilder::Gain();
  const auto rows = ParseCsv(ExportCsv(history));
  EXPECT_THAT(rows.front(),
              ElementsAre("block", "phase", "trial", "pair", "arm", "position", "started_us",
                          "duration_us", "outcome", "marks", "metric.throughput"));
  std::size_t row = 1;
  for (const HistoryBlock& block : history.blocks) {
    for (std::size_t run = 0; run < block.evaluation.samples.size(); ++run, ++row) {
      ASSERT_LT(row, rows.size());
      const Sample& sample = block.evaluation.samples[run];
      const auto trial = TrialOf(block);
      EXPECT_THAT(rows[row],
                  ElementsAre(block.name, NameOf(PhaseOf(block).value()),
                              trial ? std::to_string(*trial) : "", std::to_string(run / 2),
                              sample.arm == Arm::kBaseline ? "baseline" : "candidate",
                              std::to_string(block.position + static_cast<std::int64_t>(run)),
                              std::to_string(ToMicroseconds(sample.started)), "90000",
                              NameOf(block.evaluation.outcome),
                              sample.marks.empty() ? "" : sample.marks.front(), testing::_));
      EXPECT_EQ(std::stod(rows[row].back()), sample.metrics.at("throughput").value);
    }
  }
  EXPECT_EQ(row, rows.size());
}

TEST(ExportCsvTest, AwkwardTextsAndNumbersSurvive) {
  HistoryBuilder builder;
  HistoryBlock& block = builder.AddBlock("proof/0", {}, 0, 1);
  Sample& first = block.evaluation.samples[0];
  first.marks = {"steal 7 %, at least", "he said \"no\"\r\ntwice"};
  first.metrics["a,\"b\""] = {std::nan(""), 0, 1};
  block.evaluation.samples[1].metrics = {};
  const auto rows = ParseCsv(ExportCsv(builder.history()));
  ASSERT_THAT(rows, SizeIs(3));
  EXPECT_THAT(rows, Each(SizeIs(12)));
  EXPECT_EQ(rows[0][10], "metric.a,\"b\"");
  EXPECT_EQ(rows[1][9], "steal 7 %, at least; he said \"no\"\r\ntwice");
  EXPECT_EQ(rows[1][10], "NaN");
  EXPECT_EQ(rows[2][10], "");
  EXPECT_EQ(rows[2][11], "");
}

TEST(ExportCsvTest, CampaignWithoutRunsIsAHeader) {
  EXPECT_THAT(ParseCsv(ExportCsv(HistoryBuilder().history())), SizeIs(1));
}

}  // namespace
}  // namespace hone::tune

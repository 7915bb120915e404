// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <regex>
#include <string>

#include "hone/base/file.h"
#include "tests/e2e/hone_process.h"

namespace hone {
namespace {

class CliGoldenTest : public HoneTest {
 protected:
  static std::string Replaced(std::string text, const std::string& what, const std::string& by) {
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
      text.replace(at, what.size(), by);
      at += by.size();
    }
    return text;
  }

  // Takes out what depends on the machine, the folder or the hour.
  std::string Masked(std::string text) const {
    text = Replaced(std::move(text), Store().string(), "$STORE");
    text = Replaced(std::move(text), HONE_BINARY, "$HONE");
    text = std::regex_replace(text, std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)"), "$$TIME");
    text = std::regex_replace(text, std::regex(R"((under )?[\d.]+ s of measuring)"),
                              "$$TIME of measuring");
    text = std::regex_replace(text, std::regex(R"(about (under )?[\d.]+ s)"), "about $$TIME");
    return std::regex_replace(text, std::regex(R"( +odd runs .*\n)"), "");
  }

  void ExpectGolden(const std::string& name, const std::string& text) const {
    const auto path = std::filesystem::path(HONE_GOLDEN_DIR) / (name + ".txt");
    if (std::getenv("HONE_UPDATE_GOLDEN") != nullptr) {
      ASSERT_TRUE(WriteFileDurably(path, text));
      return;
    }
    const auto golden = ReadFile(path);
    ASSERT_TRUE(golden) << golden.error().message;
    EXPECT_EQ(text, *golden) << "If this is meant: see tests/golden/README.md";
  }

  void Tune(std::vector<std::string> more) const {
    std::vector<std::string> words{"tune", "toy", "--engine", "random", "--trials", "12", "-q"};
    words.insert(words.end(), more.begin(), more.end());
    const ProcessResult result = Run(words);
    ASSERT_LE(result.status, 1) << result.errors;
  }
};

TEST_F(CliGoldenTest, HelpTexts) {
  ExpectGolden("help", Run({"--help"}).output);
  for (const char* verb :
       {"tune",       "compare",  "watch",   "train",     "runs",   "show",    "resume",
        "replay",     "report",   "export",  "dashboard", "sysctl", "kconfig", "knowledge",
        "agent",      "mcp",      "rewards", "data",      "llm",    "verify",  "doctor",
        "completion", "workload", "version", "problems"}) {
    ExpectGolden(std::string("help_") + verb, Run({verb, "--help"}).output);
  }
  ExpectGolden("help_tune_toy", Run({"tune", "toy", "--help"}).output);
}

TEST_F(CliGoldenTest, Completions) {
  for (const char* shell : {"bash", "zsh", "fish", "man"}) {
    ExpectGolden(std::string("completion_") + shell, Run({"completion", shell}).output);
  }
}

TEST_F(CliGoldenTest, APlan) {
  ExpectGolden(
      "plan",
      Masked(Run({"tune", "toy", "--dry-run", "--limit", "latency_ms<=1.05x", "--time", "10m"})
                 .output));
}

TEST_F(CliGoldenTest, AGain) {
  Tune({"-o", "gain=0.3", "--limit", "latency_ms<=1.2x"});
  ExpectGolden("show_gain", Masked(Run({"show", "last"}).output));
  ExpectGolden("runs", Masked(Run({"runs"}).output));
  ExpectGolden("replay", Masked(Run({"replay", "last"}).output));
  ExpectGolden("resume_done", Masked(Run({"resume", "last", "-q"}).output));
}

TEST_F(CliGoldenTest, NoGain) {
  Tune({"-o", "gain=0"});
  ExpectGolden("show_no_gain", Masked(Run({"show", "last"}).output));
}

TEST_F(CliGoldenTest, ALowerLatency) {
  Tune({"-o", "gain=0.3", "--objective", "latency_ms", "--no-ablation"});
  ExpectGolden("show_latency", Masked(Run({"show", "last"}).output));
}

TEST_F(CliGoldenTest, AComparison) {
  const std::string file = (Store().parent_path() / "b.conf").string();
  ASSERT_TRUE(WriteFileDurably(file, "threads = 40\nspin = 0.6\n"));
  const auto named = [&](std::string text) {
    return Masked(Replaced(std::move(text), file, "b.conf"));
  };
  ExpectGolden("compare_plan",
               named(Run({"compare", "now", file, "--on", "toy", "--dry-run"}).output));
  EXPECT_EQ(Run({"compare", "now", file, "--on", "toy", "-q"}).status, 0);
  ExpectGolden("compare", named(Run({"show", "last"}).output));
  ExpectGolden("compare_replay", named(Run({"replay", "last"}).output));
}

TEST_F(CliGoldenTest, TheDoctor) {
  // The facts are the machine's; what is looked at is ours.
  std::string text = Run({"doctor"}).output;
  text = std::regex_replace(text, std::regex(R"( (ok|limited|missing) .*)"), " $$FACT");
  text = std::regex_replace(text, std::regex(R"(\n\n[^\n]*\n$)"), "\n");
  ExpectGolden("doctor", text);
}

TEST_F(CliGoldenTest, AnEmptyStore) { ExpectGolden("runs_empty", Masked(Run({"runs"}).output)); }

}  // namespace
}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>

#include "hone/base/file.h"
#include "hone/testing/host_parameters_lock.h"
#include "hone/tune/watch/watch_log.h"
#include "tests/e2e/hone_process.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::Not;
using End = ProcessResult::End;
using Kind = tune::WatchEvent::Kind;

class WatchE2eTest : public HoneTest {
 protected:
  std::filesystem::path Log() const { return Folder() / "watch.jsonl"; }

  std::vector<tune::WatchEvent> Events() const {
    auto events = tune::ReadWatchLog(Log());
    if (events) return std::move(*events);
    ADD_FAILURE() << events.error().message;
    return {};
  }

  bool HasRuns(std::size_t count) const {
    const auto events = tune::ReadWatchLog(Log());
    return events && events->size() >= count;
  }
};

// Without pauses, and with steps large enough to matter on this surface.
std::vector<std::string> Quick(std::vector<std::string> more) {
  std::vector<std::string> words{"watch", "toy",      "--every", "0s",
                                 "-o",    "gain=0.3", "-o",      "noise=0.01"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST_F(WatchE2eTest, FiveRoundsGoFromStartToEnd) {
  const ProcessResult watch = Run({"watch", "toy", "--rounds", "5"});
  ASSERT_EQ(watch.status, 0) << watch.output << watch.errors;
  EXPECT_THAT(watch.errors, HasSubstr("Watching toy: "));
  EXPECT_THAT(watch.output, HasSubstr(" level typical run: "));
  EXPECT_THAT(watch.output, HasSubstr(" | in force: the originals\n"));
  EXPECT_THAT(watch.output, HasSubstr("5 rounds, "));
  EXPECT_THAT(watch.output, HasSubstr("every event is in " + Log().string()));
  const auto events = Events();
  ASSERT_GT(events.size(), 17U);
  EXPECT_EQ(events.front().kind, Kind::kStart);
  EXPECT_EQ(events.back().kind, Kind::kEnd);
  // A line for every event but the runs.
  for (const tune::WatchEvent& event : events) {
    if (event.kind == Kind::kRun) continue;
    EXPECT_THAT(watch.output, HasSubstr(" " + std::string(NameOf(event.kind)) + " "));
  }
}

TEST_F(WatchE2eTest, AGainIsFoundProvenAndPrintedToKeep) {
  const ProcessResult watch = Run(Quick({"--rounds", "60", "--keep"}));
  ASSERT_EQ(watch.status, 0) << watch.output << watch.errors;
  EXPECT_THAT(watch.output, HasSubstr(" adopted "));
  EXPECT_THAT(watch.output, HasSubstr("Gain: +"));
  EXPECT_THAT(watch.output, HasSubstr("Settings to install (the originals are in force now):\n"));
  EXPECT_THAT(watch.output, HasSubstr(" = "));
}

TEST_F(WatchE2eTest, TheSameSeedGivesTheSameEventsAndTheLogGrows) {
  const auto first = RunJson(Quick({"--rounds", "8", "--seed", "7", "--quiet"}));
  const auto again = RunJson(Quick({"--rounds", "8", "--seed", "7", "--quiet"}));
  EXPECT_EQ(first, again);
  const auto events = Events();
  ASSERT_EQ(events.size() % 2, 0U);
  for (std::size_t i = 0; i < events.size() / 2; ++i) {
    tune::WatchEvent later = events[i + events.size() / 2];
    later.time = events[i].time;
    EXPECT_EQ(events[i], later);
  }
}

TEST_F(WatchE2eTest, AnInterruptEndsTheRunAtOnceAndTellsTheSummary) {
  // Each run takes longer than the test may, so it must be ended.
  Live live = Start({"watch", "toy", "-o", "duration_ms=50000"}, [this] { return HasRuns(1); });
  ::kill(live.pid, SIGINT);
  const ProcessResult watch = live.result.get();
  EXPECT_EQ(watch.end, End::kExited);
  EXPECT_EQ(watch.status, 0) << watch.errors;
  EXPECT_THAT(watch.errors, HasSubstr("the originals go back"));
  EXPECT_THAT(watch.output, HasSubstr("Nothing was tried: "));
  EXPECT_EQ(Events().back().kind, Kind::kEnd);
}

TEST_F(WatchE2eTest, AnInterruptAlsoEndsTheRest) {
  // Nothing can be tried within so small a radius, so it rests for an hour.
  Live live = Start({"watch", "toy", "--radius", "0.01%", "--every", "1h"}, [this] {
    const auto events = tune::ReadWatchLog(Log());
    return events && std::any_of(events->begin(), events->end(), [](const tune::WatchEvent& event) {
             return event.kind == Kind::kLevel;
           });
  });
  ::kill(live.pid, SIGTERM);
  EXPECT_EQ(live.result.get().status, 0);
}

TEST_F(WatchE2eTest, AKillLosesNothingThatHappened) {
  Live live = Start({"watch", "toy", "--every", "0s", "-o", "duration_ms=5"},
                    [this] { return HasRuns(40); });
  ::kill(live.pid, SIGKILL);
  const ProcessResult watch = live.result.get();
  const auto events = Events();
  EXPECT_GE(events.size(), 40U);
  const auto told = std::count(watch.output.begin(), watch.output.end(), '\n');
  const auto kept = std::count_if(events.begin(), events.end(), [](const tune::WatchEvent& event) {
    return event.kind != Kind::kRun;
  });
  EXPECT_GE(kept, told);
  EXPECT_EQ(Run({"watch", "toy", "--rounds", "1", "--every", "0s"}).status, 0);
  EXPECT_GT(Events().size(), events.size());
}

TEST_F(WatchE2eTest, TheTimeBoundsIt) {
  const ProcessResult watch = Run({"watch", "toy", "--for", "1s", "--every", "100ms"});
  EXPECT_EQ(watch.status, 0) << watch.errors;
  EXPECT_EQ(Events().back().kind, Kind::kEnd);
}

TEST_F(WatchE2eTest, AFaultyServiceIsToldAndNeverAdopted) {
  const ProcessResult watch =
      Run(Quick({"--rounds", "30", "-o", "fault=crash", "-o", "fault_rate=0.5"}));
  ASSERT_EQ(watch.status, 0) << watch.output << watch.errors;
  EXPECT_THAT(watch.output, HasSubstr(" harm "));
  EXPECT_THAT(watch.output, HasSubstr("crashed: toy: the run crashed; reverted at once"));
}

// On this machine, with a benchmark that takes no time.
class WatchHostTest : public WatchE2eTest {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "changing the host's parameters needs root";
    ::setenv("HONE_STATE", (Folder() / "state").c_str(), 1);
    before_ = Pressure();
  }

  void TearDown() override {
    ::unsetenv("HONE_STATE");
    EXPECT_EQ(Pressure(), before_);
  }

  static std::string Pressure() { return ReadFile("/proc/sys/vm/vfs_cache_pressure").value_or(""); }

  std::vector<std::string> WatchOf(const std::string& benchmark) const {
    const Json workload{
        {"name", "harmless"},
        {"description", "A benchmark that takes no time."},
        {"benchmark", {{"shell", benchmark}}},
        {"metrics", {{{"name", "score"}, {"unit", "points"}, {"direction", "higher_is_better"}}}},
        {"parameters", {"vm.vfs_cache_pressure"}}};
    const auto file = Folder() / "w.json";
    EXPECT_TRUE(WriteFileDurably(file, workload.dump()));
    return {"watch", file.string(), "--every", "0s", "--rounds", "6", "--keep", "--yes"};
  }

  const sysctl::HostParametersLock lock_;
  std::string before_;
};

TEST_F(WatchHostTest, ABenchmarkThatReadsWhatIsTunedIsSuspiciousAndNothingIsAdopted) {
  std::vector<std::string> words =
      WatchOf(R"sh(read p < /proc/sys/vm/vfs_cache_pressure; echo "score: $p")sh");
  const ProcessResult watch = Run(words);
  ASSERT_EQ(watch.status, 5) << watch.output << watch.errors;
  EXPECT_THAT(watch.output, HasSubstr("\nSuspicious: the benchmark opened vm.vfs_cache_pressure"));
  EXPECT_THAT(watch.output, HasSubstr("\n# Suspicious: the benchmark opened"));
  EXPECT_THAT(watch.output, Not(HasSubstr(" adopted ")));
  EXPECT_THAT(watch.output, Not(HasSubstr("\nvm.vfs_cache_pressure = ")));
  const Json json = RunJson(std::move(words));
  ASSERT_EQ(json.at("suspicions").size(), 1U);
  EXPECT_EQ(json.at("in_force"), json.at("originals"));
}

TEST_F(WatchHostTest, ABenchmarkThatDoesNotRunHasAStatusOfItsOwnAndItsOutputIsShown) {
  const ProcessResult watch = Run(WatchOf("echo no such table >&2; exit 7"));
  ASSERT_EQ(watch.status, 6) << watch.output << watch.errors;
  EXPECT_THAT(watch.output, HasSubstr("\nDoes not run: the originals themselves failed 5 times"));
  EXPECT_THAT(watch.output, HasSubstr("\n  no such table\n"));
}

TEST_F(WatchE2eTest, WrongFlagsAreRefusedBeforeAnythingIsWritten) {
  const ProcessResult radius = Run({"watch", "toy", "--radius", "0"});
  EXPECT_EQ(radius.status, 2);
  EXPECT_THAT(radius.errors, HasSubstr("radius"));
  const ProcessResult limit = Run({"watch", "toy", "--limit", "nonsense<=3"});
  EXPECT_EQ(limit.status, 2);
  EXPECT_THAT(limit.errors, HasSubstr("nonsense"));
  EXPECT_FALSE(std::filesystem::exists(Log()));
}

}  // namespace
}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
// docs/examples/tune-with-a-model: from a goal to a proven verdict, as a reader types it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/utsname.h>

#include <chrono>
#include <filesystem>
#include <future>
#include <stop_token>
#include <string>

#include "hone/base/file.h"
#include "hone/base/sqlite/sqlite.h"
#include "hone/testing/wait_until.h"
#include "tests/e2e/hone_process.h"

namespace hone {
namespace {

using testing::HasSubstr;

std::filesystem::path Example(const char* file) {
  return std::filesystem::path(HONE_EXAMPLES) / "tune-with-a-model" / file;
}

// Runs until the test ends.
class ExampleEndpoint {
 public:
  explicit ExampleEndpoint(const std::filesystem::path& folder) {
    const auto place = folder / "url";
    Command run;
    run.arguments = {
        "sh", "-c", "exec \"$1\" 0 > \"$2\"", "sh", Example("endpoint").string(), place.string()};
    run.limit = std::chrono::minutes(5);
    run.stop = stop_.get_token();
    running_ = std::async(std::launch::async, [run] { return RunProcess(run); });
    WaitUntil(
        [&] {
          const auto text = ReadFile(place);
          if (text && text->ends_with('\n')) url_ = text->substr(0, text->size() - 1);
          return !url_.empty();
        },
        "the endpoint of the example listens");
  }
  ~ExampleEndpoint() {
    stop_.request_stop();
    running_.wait();
  }
  const std::string& url() const { return url_; }

 private:
  std::stop_source stop_;
  std::future<Result<ProcessResult>> running_;
  std::string url_;
};

class AgentExampleTest : public HoneTest {};

TEST_F(AgentExampleTest, TheRunEndsInAProvenGainAndIsReplayedWithoutTheEndpoint) {
  {
    const ExampleEndpoint endpoint(Folder());
    const ProcessResult tuned = Run({"tune", "toy", "--engine", "llm", "--llm", endpoint.url(),
                                     "--trials", "10", "--seed", "4", "--quiet"});
    EXPECT_EQ(tuned.status, 0) << tuned.output << tuned.errors;
    EXPECT_THAT(tuned.output, HasSubstr("Gain: +"));
  }
  const Json replay = RunJson({"replay", "toy-1"});
  EXPECT_EQ(replay["divergence"], "");
  EXPECT_EQ(replay["reproduced"], replay["stored"]);
  EXPECT_TRUE(replay["is_done"]);
}

TEST_F(AgentExampleTest, TheKeptRecordDecidesTheSame) {
  utsname name{};
  if (::uname(&name) != 0 || std::string(name.machine) != "x86_64") {
    GTEST_SKIP() << "the record was made on x86_64, which rounds otherwise";
  }
  {
    auto database = Database::Open(Store());
    ASSERT_TRUE(database) << database.error().message;
    const auto done = database->Execute(ReadFile(Example("record.sql")).value());
    ASSERT_TRUE(done) << done.error().message;
  }
  const Json replay = RunJson({"replay", "toy-1"});
  EXPECT_EQ(replay["divergence"], "");
  EXPECT_EQ(replay["reproduced"], replay["stored"]);
  EXPECT_TRUE(replay["is_done"]);
  // What the page of the example shows is what the program says of the record.
  const std::string page = ReadFile(Example("README.md")).value();
  const std::string shown = Run({"show", "toy-1"}).output;
  const auto gain = shown.find("Gain: ");
  ASSERT_NE(gain, shown.npos) << shown;
  EXPECT_THAT(page, HasSubstr(shown.substr(gain, shown.find('\n', gain) - gain)));
}

}  // namespace
}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/process/judge_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "hone/base/temp_dir.h"
#include "hone/domains/compute/process/judged_elsewhere.h"

namespace hone::compute {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

// Judges that do not do what they should: shell scripts in their place.
class JudgeProcessTest : public ::testing::Test {
 protected:
  JudgeProgram Script(const std::string& body) const {
    const auto path = folder_.path() / "judge";
    std::ofstream(path) << "#!/bin/sh\n" << body << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return {path, folder_.path(), 64};
  }

  std::string Complaint(const std::string& body, milliseconds limit = seconds{30}) const {
    auto judge = JudgeProcess::Start(Script(body));
    if (!judge) return "not started: " + judge.error().message;
    const auto answer = (*judge)->Ask({}, limit);
    EXPECT_FALSE(answer);
    EXPECT_FALSE((*judge)->is_alive());
    if (answer) return "answered";
    EXPECT_EQ(answer.error().code, Errc::kUnavailable);
    return answer.error().message;
  }

  const TempDir folder_ = TempDir::Make("hone-judge-process").value();
};

TEST_F(JudgeProcessTest, OneThatRunsOutOfMemoryIsToldWithItsLimit) {
  EXPECT_THAT(Complaint("exit 77"), HasSubstr("ran out of memory: it may use 64 MiB"));
}

TEST_F(JudgeProcessTest, OneThatIsKilledIsToldWithTheSignal) {
  EXPECT_THAT(Complaint("kill -9 $$"), HasSubstr("died by SIGKILL"));
}

TEST_F(JudgeProcessTest, OneThatLeavesIsToldWithItsStatus) {
  EXPECT_THAT(Complaint("exit 5"), HasSubstr("ended with status 5"));
}

TEST_F(JudgeProcessTest, OneThatNeverAnswersIsEnded) {
  EXPECT_THAT(Complaint("exec sleep 1000", milliseconds{50}),
              HasSubstr("was ended: there was no answer in time"));
}

TEST_F(JudgeProcessTest, OneThatTalksNonsenseIsNotBelieved) {
  EXPECT_THAT(Complaint("printf '\\004\\000\\000\\000nons' >&3; exec sleep 1000"),
              HasSubstr("the judge's process"));
  EXPECT_THAT(Complaint("printf '\\377\\377\\377\\377' >&3; exec sleep 1000"),
              HasSubstr("the judge's process"));
}

TEST_F(JudgeProcessTest, ProgramThatIsNotThereIsAnError) {
  const auto judge = JudgeProcess::Start({"/no/such/program", folder_.path(), 64});
  ASSERT_FALSE(judge);
  EXPECT_THAT(judge.error().message, HasSubstr("the judge's process"));
}

TEST_F(JudgeProcessTest, OneThatDiesWhenASessionIsOpenedIsNotKept) {
  const auto processes = std::make_shared<JudgeProcesses>(Script("exit 77"));
  for (int session = 0; session < 3; ++session) {
    const auto opened = OpenElsewhere(processes, {}, seconds{1});
    ASSERT_FALSE(opened);
    EXPECT_THAT(opened.error().message, HasSubstr("ran out of memory"));
  }
}

// A judge that compiles until it is told to stop; then it names the request.
constexpr const char* kPreparesForever = R"(exec python3 -c '
import json, socket, struct, sys
judge = socket.socket(fileno=3)
def ask():
    size, = struct.unpack("<I", judge.recv(4, socket.MSG_WAITALL))
    return json.loads(judge.recv(size, socket.MSG_WAITALL))
def answer(text):
    judge.sendall(struct.pack("<I", len(text)) + text.encode())
ask()
answer(sys.argv[1])
number = ask()["number"]
stopped = ask()["number"]
answer(json.dumps({"number": number, "error": {"code": 0, "message": f"stopped {stopped}"}}))
ask()
' )";

TEST_F(JudgeProcessTest, PreparationThatIsAskedToStopIsStoppedThere) {
  if (!std::filesystem::exists("/usr/bin/python3")) GTEST_SKIP() << "needs python3";
  JudgeAnswer opened;
  opened.number = 1;
  const std::string answer = "'" + Dump(ToJson(opened)) + "'";
  const auto processes = std::make_shared<JudgeProcesses>(Script(kPreparesForever + answer));
  const auto session = OpenElsewhere(processes, {}, milliseconds{1});
  ASSERT_TRUE(session) << session.error().message;
  std::stop_source stop;
  stop.request_stop();
  const auto prepared = (*session)->Prepare({{}, "source"}, stop.get_token());
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().message, "stopped 2");
}

TEST(JudgeMessagesTest, AnswersComeBackAsTheyWere) {
  JudgeAnswer answer;
  answer.number = 7;
  RunResult result{Outcome::kWrong, "because", {}, {{"difference", "here"}}};
  result.sample.metrics["time"] = {1.5, 0.25, 10};
  result.sample.duration = std::chrono::microseconds{42};
  answer.result = result;
  const auto read = ReadJudgeAnswer(ToJson(answer));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->number, 7U);
  EXPECT_EQ(read->result->outcome, Outcome::kWrong);
  EXPECT_EQ(read->result->reason, "because");
  EXPECT_EQ(read->result->sample, result.sample);
  EXPECT_EQ(read->result->evidence, result.evidence);
  answer.result = Error{Errc::kUnsupported, "no"};
  EXPECT_EQ(ReadJudgeAnswer(ToJson(answer))->result.error().code, Errc::kUnsupported);
}

TEST(JudgeMessagesTest, RequestsComeBackAsTheyWere) {
  JudgeRequest request;
  request.what = JudgeRequest::What::kRun;
  request.number = 3;
  request.options = {{"problem", "saxpy"}};
  request.candidate.source = "text";
  request.arm = Arm::kBaseline;
  request.seed = ~std::uint64_t{0};
  request.position = 9;
  request.limit = milliseconds{1234};
  request.cpus = {0, 3};
  const auto read = ReadJudgeRequest(ToJson(request));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(ToJson(*read), ToJson(request));
}

}  // namespace
}  // namespace hone::compute

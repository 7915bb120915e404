// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/process/judge_messages.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "hone/base/errno_error.h"
#include "hone/base/json/records.h"

namespace hone::compute {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxMessage = 64 << 20;
constexpr std::chrono::milliseconds kMaxPoll{1'000'000};

Error Closed() { return {Errc::kUnavailable, "the channel to the judge: closed"}; }
Error TooLong() { return {Errc::kCorrupt, "the channel to the judge: a message is too long"}; }

Result<void> ReceiveBytes(int socket, char* to, std::size_t bytes, Clock::time_point deadline) {
  while (bytes > 0) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return Error{Errc::kStale, "the judge did not answer in time"};
    pollfd ready{socket, POLLIN, 0};
    const int found = ::poll(&ready, 1, static_cast<int>(std::min(left, kMaxPoll).count()));
    if (found < 0 && errno != EINTR) return ErrnoError("the channel to the judge", errno);
    if (found <= 0) continue;
    const ssize_t got = ::recv(socket, to, bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Closed();
    to += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return {};
}

// A run's result in the form of an evaluation, which has a record of its own.
Json ResultJson(const RunResult& result) {
  Evaluation evaluation;
  evaluation.outcome = result.outcome;
  evaluation.reason = result.reason;
  evaluation.samples = {result.sample};
  evaluation.evidence = result.evidence;
  return hone::ToJson(evaluation);
}

}  // namespace

Json ToJson(const JudgeRequest& request) {
  return {{"what", static_cast<int>(request.what)},
          {"number", request.number},
          {"options", request.options},
          {"candidate", hone::ToJson(request.candidate)},
          {"arm", static_cast<int>(request.arm)},
          {"seed", request.seed},
          {"position", request.position},
          {"limit_ms", request.limit.count()},
          {"cpus", request.cpus}};
}

Result<JudgeRequest> ReadJudgeRequest(const Json& json) {
  JsonReader reader(json, "a request to the judge");
  JudgeRequest request;
  request.what = static_cast<JudgeRequest::What>(reader.At("what").Integer());
  request.number = reader.At("number").Unsigned();
  for (auto& [name, value] : reader.At("options").Members()) request.options[name] = value.String();
  request.candidate = ReadCandidate(reader.At("candidate"));
  request.arm = static_cast<Arm>(reader.At("arm").Integer());
  request.seed = reader.At("seed").Unsigned();
  request.position = reader.At("position").Integer();
  request.limit = std::chrono::milliseconds{reader.At("limit_ms").Integer()};
  for (JsonReader& cpu : reader.At("cpus").Items()) {
    request.cpus.push_back(static_cast<int>(cpu.Integer()));
  }
  if (const auto finished = reader.Finish(); !finished) return finished.error();
  return request;
}

Json ToJson(const JudgeAnswer& answer) {
  Json json = {{"number", answer.number}};
  if (answer.result) {
    json["result"] = ResultJson(*answer.result);
  } else {
    json["error"] = {{"code", static_cast<int>(answer.result.error().code)},
                     {"message", answer.result.error().message}};
  }
  return json;
}

Result<JudgeAnswer> ReadJudgeAnswer(const Json& json) {
  JsonReader reader(json, "an answer of the judge");
  JudgeAnswer answer;
  answer.number = reader.At("number").Unsigned();
  if (reader.Has("error")) {
    JsonReader error = reader.At("error");
    answer.result =
        Error{static_cast<Errc>(error.At("code").Integer()), error.At("message").String()};
  } else {
    Evaluation evaluation = ReadEvaluation(reader.At("result"));
    RunResult result{
        evaluation.outcome, std::move(evaluation.reason), {}, std::move(evaluation.evidence)};
    if (!evaluation.samples.empty()) result.sample = std::move(evaluation.samples.front());
    answer.result = std::move(result);
  }
  if (const auto finished = reader.Finish(); !finished) return finished.error();
  return answer;
}

Result<void> SendMessage(int socket, const Json& json) {
  std::string text = Dump(json);
  const auto bytes = static_cast<std::uint32_t>(text.size());
  if (text.size() > kMaxMessage) return TooLong();
  text.insert(0, reinterpret_cast<const char*>(&bytes), sizeof(bytes));
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t gone = ::send(socket, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (gone < 0 && errno == EINTR) continue;
    if (gone < 0) return Closed();
    sent += static_cast<std::size_t>(gone);
  }
  return {};
}

Result<Json> ReceiveMessage(int socket, Clock::time_point deadline) {
  std::uint32_t bytes = 0;
  const auto header =
      ReceiveBytes(socket, reinterpret_cast<char*>(&bytes), sizeof(bytes), deadline);
  if (!header) return header.error();
  if (bytes > kMaxMessage) return TooLong();
  std::string text(bytes, '\0');
  if (auto body = ReceiveBytes(socket, text.data(), bytes, deadline); !body) return body.error();
  return ParseJson(text, "a message of the judge", {.bytes = kMaxMessage});
}

}  // namespace hone::compute

// SPDX-License-Identifier: Apache-2.0
#include "hone/server/service/v1_request.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "hone/base/fresh_number.h"
#include "hone/base/json/parse_values.h"
#include "hone/base/json/records.h"
#include "hone/eval/queue/queue_rules.h"
#include "hone/server/http/router.h"
#include "hone/server/http/tokens.h"

namespace hone::server {
namespace {

constexpr std::size_t kMaxTaskIdBytes = 200;
constexpr std::size_t kMaxBatchTasks = 1000;
constexpr std::size_t kMaxRuns = 1000;
constexpr std::int64_t kMaxLimitMs = 24LL * 3600 * 1000;
constexpr std::int64_t kMaxTimeout = 7LL * 24 * 3600;
constexpr std::int64_t kMaxPriority = 100;
constexpr std::int64_t kMaxAttempts = 20;
constexpr std::chrono::hours kMaxWait{1};

std::string ReadId(JsonReader reader) {
  std::string id = reader.String();
  const bool has_control = std::any_of(id.begin(), id.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
  if (id.empty() || id.size() > kMaxTaskIdBytes || has_control) {
    reader.Fail(fmt::format("expected 1 to {} bytes without control characters", kMaxTaskIdBytes));
  }
  return id;
}

Candidate ReadGivenCandidate(JsonReader reader) {
  Candidate candidate;
  if (reader.Has("assignment")) candidate.assignment = ReadAssignment(reader.At("assignment"));
  if (reader.Has("source")) candidate.source = reader.At("source").String();
  reader.RefuseOthers();
  return candidate;
}

Capabilities ReadGivenNeeds(JsonReader reader) {
  Capabilities needs;
  if (reader.Has("names")) {
    for (JsonReader& name : reader.At("names").Items()) needs.names.insert(name.String());
  }
  if (reader.Has("memory_mib")) needs.memory_mib = ReadRange(reader.At("memory_mib"), 0, 1LL << 40);
  reader.RefuseOthers();
  return needs;
}

std::vector<Arm> ReadArms(JsonReader reader) {
  std::vector<Arm> order;
  for (JsonReader& item : reader.Items()) {
    const std::string arm = item.String();
    if (arm != "candidate" && arm != "baseline") {
      item.Fail(fmt::format("expected \"candidate\" or \"baseline\", found \"{:.40}\"", arm));
    }
    order.push_back(arm == "baseline" ? Arm::kBaseline : Arm::kCandidate);
  }
  const bool has_candidate = std::find(order.begin(), order.end(), Arm::kCandidate) != order.end();
  if (!order.empty() && !has_candidate) {
    reader.Fail("expected a run of the candidate, which is what the verdict is about");
  }
  if (order.empty() || order.size() > kMaxRuns) {
    reader.Fail(fmt::format("expected 1 to {} runs, found {}", kMaxRuns, order.size()));
  }
  return order;
}

void ReadHow(JsonReader& reader, Service& service, Submission& submission) {
  Task& task = submission.task;
  task.seed = reader.Has("seed") ? reader.At("seed").Unsigned() : FreshNumber();
  if (reader.Has("position")) task.position = ReadRange(reader.At("position"), 0, INT64_MAX);
  if (reader.Has("run_limit_ms")) {
    task.run_timeout =
        std::chrono::milliseconds{ReadRange(reader.At("run_limit_ms"), 1, kMaxLimitMs)};
  }
  if (reader.Has("priority")) {
    task.priority = static_cast<int>(ReadRange(reader.At("priority"), -kMaxPriority, kMaxPriority));
  }
  if (reader.Has("most_attempts")) {
    task.max_attempts = static_cast<int>(ReadRange(reader.At("most_attempts"), 1, kMaxAttempts));
  }
  const WallTime now = service.clock().Wall();
  const auto runs = static_cast<std::int64_t>(task.order.size());
  task.deadline = now + task.run_timeout * runs + service.settings().max_queued;
  if (reader.Has("timeout_s")) {
    task.deadline = now + std::chrono::seconds{ReadRange(reader.At("timeout_s"), 1, kMaxTimeout)};
  }
  if (reader.Has("fresh")) submission.is_fresh = reader.At("fresh").Bool();
}

void ReadWhat(JsonReader& reader, const OfferedDomain& domain, Task& task) {
  if (reader.Has("options")) task.options = ReadOptionsOf(reader.At("options"), domain);
  task.candidate = ReadGivenCandidate(reader.At("candidate"));
  if (reader.Has("baseline")) task.baseline = ReadGivenCandidate(reader.At("baseline"));
  task.order = {Arm::kCandidate};
  if (reader.Has("order")) task.order = ReadArms(reader.At("order"));
}

const OfferedDomain* ReadDomain(JsonReader reader, Service& service) {
  const std::string name = reader.String();
  const OfferedDomain* domain = service.FindDomain(name);
  if (domain == nullptr) {
    std::vector<std::string> names;
    for (const OfferedDomain& known : service.settings().domains) names.push_back(known.name);
    reader.Fail(fmt::format("expected {}, found \"{:.40}\"", fmt::join(names, ", "), name));
  }
  return domain;
}

// For whom the task is. Workers that may change their machine do it for owners, and only an admin
// may speak for one.
Result<std::string> ReadOwner(JsonReader& reader, const OfferedDomain& domain, TokenRole role) {
  const std::string owner = reader.Has("owner") ? reader.At("owner").String() : "";
  if (!owner.empty() && role != TokenRole::kAdmin) {
    return Error{Errc::kUnsupported, "owner: to name one needs the role admin"};
  }
  if (domain.needs_admin && owner.empty()) {
    return Error{
        Errc::kInvalidArgument,
        fmt::format("body: domain {}: its tasks change the machine or name files of it, so they "
                    "say for whom: "
                    "give \"owner\", and start a worker with --for OWNER",
                    domain.name)};
  }
  if (auto fit = CheckOwner(owner); !fit) return fit.error();
  return owner;
}

}  // namespace

std::int64_t ReadRange(JsonReader reader, std::int64_t min, std::int64_t max) {
  const std::int64_t value = reader.Integer();
  if (value < min || value > max) {
    reader.Fail(fmt::format("expected {} to {}, found {}", min, max, value));
  }
  return value;
}

Options ReadOptionsOf(JsonReader reader, const OfferedDomain& domain) {
  Options options;
  for (auto& [name, value] : reader.Members()) {
    const bool is_known =
        std::any_of(domain.options.begin(), domain.options.end(),
                    [&name = name](const OfferedOption& option) { return option.name == name; });
    if (!is_known) {
      value.Fail(
          fmt::format("domain {} has no such option; GET /v1/domains lists them", domain.name));
    }
    options[name] = value.String();
  }
  return options;
}

Result<std::string> NewName(const std::string& kind) {
  auto token = MakeToken();
  if (!token) return token.error();
  return kind + "-" + token->substr(0, 24);
}

Result<AskedDomain> ReadAskedDomain(JsonReader& reader, Service& service, TokenRole role) {
  const OfferedDomain* const domain = ReadDomain(reader.At("domain"), service);
  if (auto finished = reader.Finish(); !finished) return finished.error();
  if (domain->needs_admin && role != TokenRole::kAdmin) {
    return Error{
        Errc::kUnsupported,
        fmt::format("domain {}: its tasks change the machine or name files of it; they need the "
                    "role admin",
                    domain->name)};
  }
  auto owner = ReadOwner(reader, *domain, role);
  if (!owner) return owner.error();
  return AskedDomain{domain, std::move(*owner)};
}

Result<Submission> ReadSubmission(JsonReader reader, Service& service, TokenRole role) {
  Submission submission;
  Task& task = submission.task;
  auto asked = ReadAskedDomain(reader, service, role);
  if (!asked) return asked.error();
  const OfferedDomain* const domain = asked->domain;
  task.domain = domain->name;
  task.owner = std::move(asked->owner);
  if (reader.Has("id")) {
    task.id = ReadId(reader.At("id"));
  } else {
    auto id = NewName("task");
    if (!id) return id.error();
    task.id = std::move(*id);
  }
  ReadWhat(reader, *domain, task);
  ReadHow(reader, service, submission);
  std::optional<Capabilities> given;
  if (reader.Has("needs")) given = ReadGivenNeeds(reader.At("needs"));
  reader.RefuseOthers();
  if (auto finished = reader.Finish(); !finished) return finished.error();
  auto needs = service.Check(*domain, task.options);
  if (!needs) return Error{Errc::kInvalidArgument, needs.error().message};
  task.needs = std::move(*needs);
  if (given) {
    task.needs.names.insert(given->names.begin(), given->names.end());
    task.needs.memory_mib = std::max(task.needs.memory_mib, given->memory_mib);
  }
  return submission;
}

Result<std::vector<Submission>> ReadSubmissions(const Json& json, Service& service,
                                                TokenRole role) {
  JsonReader reader(json, "body");
  std::vector<JsonReader> items = reader.At("tasks").Items();
  reader.RefuseOthers();
  if (items.empty() || items.size() > kMaxBatchTasks) {
    reader.Fail(fmt::format("expected 1 to {} tasks, found {}", kMaxBatchTasks, items.size()));
  }
  if (auto finished = reader.Finish(); !finished) return finished.error();
  std::vector<Submission> submissions;
  for (const JsonReader& item : items) {
    auto submission = ReadSubmission(item, service, role);
    if (!submission) return submission.error();
    submissions.push_back(std::move(*submission));
  }
  return submissions;
}

Result<std::chrono::milliseconds> ReadWait(const HttpRequest& request, const std::string& name,
                                           std::chrono::milliseconds fallback) {
  const auto text = request.Query(name);
  if (!text) return fallback;
  auto wait = ParseDuration(name, *text);
  if (!wait) return wait.error();
  return std::min<std::chrono::milliseconds>(*wait, kMaxWait);
}

Result<Json> ReadJsonBody(const HttpRequest& request, std::size_t max_bytes) {
  return ParseJson(request.body, "body", {.bytes = std::min(request.body.size(), max_bytes)});
}

HttpResponse RefusalFor(const Error& error) {
  if (error.code == Errc::kUnsupported) return NativeError(403, "forbidden", error.message);
  HttpResponse response = NativeError(error);
  if (response.status == 503) response.headers.emplace_back("retry-after", "5");
  return response;
}

}  // namespace hone::server

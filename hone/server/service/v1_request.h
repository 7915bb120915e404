// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "hone/base/json/json.h"
#include "hone/core/result.h"
#include "hone/core/task.h"
#include "hone/server/http/http_message.h"
#include "hone/server/service/service.h"

// What /v1 is asked. Reading is strict: what is not known is an error that names its path.
namespace hone::server {

// One task to submit.
struct Submission {
  Task task;
  bool is_fresh = false;  // A settled task of this id runs again.
};

// Reads {"domain": …, "candidate": …, …}; see docs/api.md. `role` decides which domains may be
// asked for: kUnsupported stands for "not with this token".
Result<Submission> ReadSubmission(JsonReader reader, Service& service, TokenRole role);

// {"tasks": […]}, 1 to 1000 of them.
Result<std::vector<Submission>> ReadSubmissions(const Json& json, Service& service, TokenRole role);

// The domain that a request names, and for whom its tasks are. kUnsupported as above.
struct AskedDomain {
  const OfferedDomain* domain;
  std::string owner;
};
Result<AskedDomain> ReadAskedDomain(JsonReader& reader, Service& service, TokenRole role);

// Parts of what is asked. On a fault the reader holds it.
std::int64_t ReadRange(JsonReader reader, std::int64_t min, std::int64_t max);
Options ReadOptionsOf(JsonReader reader, const OfferedDomain& domain);

// "task-5d0c…": a name that nobody else has, and nobody guesses.
Result<std::string> NewName(const std::string& kind);

// "?wait_s=2.5" in a request: how long to wait for the task; none is `fallback`. At most an hour.
Result<std::chrono::milliseconds> ReadWait(const HttpRequest& request, const std::string& name,
                                           std::chrono::milliseconds fallback);

Result<Json> ReadJsonBody(const HttpRequest& request, std::size_t max_bytes = SIZE_MAX);

// kUnsupported stands for "not with this token" here.
HttpResponse RefusalFor(const Error& error);

}  // namespace hone::server

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
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

// "?wait_s=2.5" in a request: how long to wait for the task; none is `fallback`. At most an hour.
Result<std::chrono::milliseconds> ReadWait(const HttpRequest& request, const std::string& name,
                                           std::chrono::milliseconds fallback);

}  // namespace hone::server

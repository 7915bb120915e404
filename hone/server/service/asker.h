// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hone/core/task.h"
#include "hone/server/http/http_message.h"

namespace hone::server {

// Who asks the service. A task is its submitter's: nobody else reads, replaces or cancels it, but
// an admin.
struct Asker {
  std::string submitter;  // As Task::submitter.
  bool sees_all = false;

  bool Sees(const std::string& submitter_of_task) const {
    return sees_all || submitter_of_task == submitter;
  }
};

inline Asker AskerOf(const HttpRequest& request) {
  return {request.submitter, request.role == TokenRole::kAdmin};
}

}  // namespace hone::server

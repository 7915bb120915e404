// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "hone/domains/compute/workflow.h"
#include "hone/domains/domain.h"

namespace hone::compute {

// The same session, with their feedback (feedback.h) among the evidence of its results.
std::unique_ptr<Session> WithFeedback(std::unique_ptr<Session> session,
                                      std::shared_ptr<const WorkflowContext> context);

}  // namespace hone::compute

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "hone/domains/compute/workflow.h"

namespace hone::compute {

// The build of a candidate as a RunResult; the artefact is set if it was accepted.
struct PreparedCandidate {
  RunResult result;
  std::shared_ptr<const Artefact> artefact;
};

// What a session has built. Run finds here what Prepare left, so that nothing is compiled, looked
// up, copied or digested on the processors that are about to be timed. Not safe for concurrent use.
class SessionBuilds {
 public:
  explicit SessionBuilds(std::shared_ptr<const WorkflowContext> context)
      : context_(std::move(context)) {}

  const WorkflowContext& context() const { return *context_; }

  Result<PreparedCandidate> OfCandidate(const Candidate& candidate, const std::stop_token& stop);

  // What is wrong with a reference is the problem's fault: kInvalidArgument.
  Result<std::shared_ptr<const Artefact>> OfReference(Precision precision,
                                                      const std::stop_token& stop);

 private:
  std::shared_ptr<const WorkflowContext> context_;
  std::deque<std::pair<std::string, PreparedCandidate>>
      candidates_;                                             // By source, the oldest first.
  std::array<std::shared_ptr<const Artefact>, 2> references_;  // By precision.
};

}  // namespace hone::compute

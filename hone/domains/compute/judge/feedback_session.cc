// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/feedback_session.h"

#include <utility>

#include "hone/base/json/evidence_json.h"
#include "hone/domains/compute/judge/feedback.h"

namespace hone::compute {
namespace {

class FeedbackSession final : public Session {
 public:
  FeedbackSession(std::unique_ptr<Session> session, std::shared_ptr<const WorkflowContext> context)
      : session_(std::move(session)), context_(std::move(context)) {}

  Result<RunResult> Prepare(const Candidate& candidate, const std::stop_token& stop) override {
    auto result = session_->Prepare(candidate, stop);
    if (result && result->outcome != Outcome::kAccepted) Add(*result);
    return result;
  }

  Result<RunResult> Run(const RunOrder& order) override {
    auto result = session_->Run(order);
    if (result && order.arm == Arm::kCandidate) Add(*result);
    return result;
  }

 private:
  void Add(RunResult& result) const {
    const Problem& problem = context_->problem;
    const bool is_timed = !FindJsonEvidence(result.evidence, "times").is_null();
    const Roofline roofline =
        is_timed ? RooflineOf(problem, TimedSizes(problem), context_->backend->Peak()) : Roofline{};
    result.evidence.push_back(MakeJsonEvidence(
        "feedback",
        FeedbackOf(result, roofline, context_->backend->Facts().has_device, context_->terms)));
  }

  static Sizes TimedSizes(const Problem& problem) {
    if (!problem.cases.empty()) return problem.cases.front().sizes;
    return problem.shapes.empty() ? Sizes{} : problem.shapes.front();
  }

  std::unique_ptr<Session> session_;
  std::shared_ptr<const WorkflowContext> context_;
};

}  // namespace

std::unique_ptr<Session> WithFeedback(std::unique_ptr<Session> session,
                                      std::shared_ptr<const WorkflowContext> context) {
  return std::make_unique<FeedbackSession>(std::move(session), std::move(context));
}

}  // namespace hone::compute

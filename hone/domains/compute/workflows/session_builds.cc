// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/workflows/session_builds.h"

#include <fmt/format.h>

#include <algorithm>

#include "hone/domains/compute/judge/cheating.h"

namespace hone::compute {
namespace {

constexpr std::size_t kMaxSource = 1 << 20;
// Baseline and candidate in turn, and some room: a library may have megabytes.
constexpr std::size_t kMaxKeptCandidates = 4;

std::string RefusalOf(const Candidate& candidate) {
  if (!candidate.assignment.empty()) {
    return fmt::format("compute: a candidate is a source text; it has no parameter {}",
                       candidate.assignment.begin()->first);
  }
  if (candidate.source.empty()) return "compute: the source is empty";
  if (candidate.source.size() > kMaxSource) {
    return fmt::format("compute: the source has {} bytes; allowed: {}", candidate.source.size(),
                       kMaxSource);
  }
  if (candidate.source.find('\0') != std::string::npos) return "compute: the source holds a NUL";
  return "";
}

PreparedCandidate PreparedFrom(const Build& build) {
  PreparedCandidate prepared;
  prepared.result.outcome = build.outcome;
  prepared.result.reason = build.reason;
  if (!build.output.empty()) prepared.result.evidence.push_back({"compiler output", build.output});
  if (build.outcome == Outcome::kCheated) {
    const Finding finding = Cheated("the symbols of the built library", build.reason);
    prepared.result.reason = finding.reason;
    prepared.result.evidence.push_back(finding.evidence.front());
  }
  prepared.artefact = build.artefact;
  return prepared;
}

}  // namespace

Result<PreparedCandidate> SessionBuilds::OfCandidate(const Candidate& candidate,
                                                     const std::stop_token& stop) {
  PreparedCandidate prepared;
  if (const std::string refusal = RefusalOf(candidate); !refusal.empty()) {
    prepared.result.outcome = Outcome::kRejected;
    prepared.result.reason = refusal;
    return prepared;
  }
  const auto kept =
      std::ranges::find(candidates_, candidate.source, &decltype(candidates_)::value_type::first);
  if (kept != candidates_.end()) return kept->second;
  BuildOrder order{context_->problem, candidate.source};
  order.limit = context_->settings.build_timeout;
  order.stop = stop;
  const auto build = context_->backend->Compile(order);
  if (!build) return build.error();
  prepared = PreparedFrom(*build);
  if (!prepared.artefact) return prepared;
  candidates_.emplace_back(candidate.source, prepared);
  if (candidates_.size() > kMaxKeptCandidates) candidates_.pop_front();
  return prepared;
}

Result<std::shared_ptr<const Artefact>> SessionBuilds::OfReference(Precision precision,
                                                                   const std::stop_token& stop) {
  auto& kept = references_.at(static_cast<std::size_t>(precision));
  if (kept) return kept;
  const Problem& problem = context_->problem;
  BuildOrder order{problem, problem.reference, TensorRole::kReference, precision};
  order.stop = stop;
  const auto build = context_->backend->Compile(order);
  if (!build) return build.error();
  if (build->outcome != Outcome::kAccepted) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("problem {}: its reference cannot be used: {}\n{}", problem.name,
                             build->reason, build->output)};
  }
  kept = build->artefact;
  return kept;
}

}  // namespace hone::compute

// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/compute_domain.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "hone/domains/compute/backends/cpp_backend.h"
#include "hone/domains/compute/backends/torch_backend.h"
#include "hone/domains/compute/compute_options.h"
#include "hone/domains/compute/shared_state.h"
#include "hone/domains/compute/workflow.h"

namespace hone {
namespace compute {
namespace {

constexpr const char* kSummary = "compute kernels (C, C++), checked and timed against a reference";

BackendTable BackendsOfThisBuild() {
  BackendTable table;
  for (BackendEntry entry : {CppBackendEntry(), TorchBackendEntry()}) {
    const std::string name = entry.name;
    table.emplace(name, std::move(entry));
  }
  return table;
}

class ComputeDomain final : public Domain {
 public:
  explicit ComputeDomain(std::shared_ptr<const WorkflowContext> context)
      : context_(std::move(context)) {
    facts_.name = "compute";
    facts_.summary = kSummary;
    facts_.metrics = MetricsOf(context_->problem, context_->settings);
    facts_.needs_slot = true;  // It measures time.
    facts_.needs = context_->backend->Facts().needs;
    baseline_.source = context_->problem.reference;
  }

  const DomainFacts& Facts() const override { return facts_; }
  const Space& SearchSpace() const override { return space_; }
  Candidate Baseline() const override { return baseline_; }

  Result<std::unique_ptr<Session>> Open() override {
    return Workflows().at(context_->problem.workflow).open(context_);
  }

 private:
  std::shared_ptr<const WorkflowContext> context_;
  DomainFacts facts_;
  Space space_;
  Candidate baseline_;
};

Error About(const Problem& problem, const Error& error) {
  return {error.code, fmt::format("problem {}: {}", problem.name, error.message)};
}

// Reads the problem, and looks for no compiler: a worker has it, not the process that asks.
Result<Capabilities> CheckCompute(const SharedState& shared, const Options& options) {
  const auto read = ReadComputeOptions(options);
  if (!read) return read.error();
  const auto backend = shared.EntryNamed(read->problem.backend);
  if (!backend) return backend.error();
  if (const auto fits = (*backend)->check(read->problem); !fits) {
    return About(read->problem, fits.error());
  }
  return (*backend)->needs;
}

Result<std::unique_ptr<Domain>> MakeComputeDomain(const std::shared_ptr<SharedState>& shared,
                                                  const Options& options) {
  auto read = ReadComputeOptions(options);
  if (!read) return read.error();
  auto backend = shared->BackendNamed(read->problem.backend);
  if (!backend) return backend.error();
  if (const auto fits = (*backend)->Check(read->problem); !fits) {
    return About(read->problem, fits.error());
  }
  return std::make_unique<ComputeDomain>(std::make_shared<const WorkflowContext>(
      WorkflowContext{std::move(read->problem), read->settings, shared, *backend}));
}

}  // namespace
}  // namespace compute

DomainEntry ComputeDomainEntry(ComputeSettings settings) {
  if (settings.cache.empty()) settings.cache = compute::DefaultCacheFolder();
  if (settings.backends.empty()) settings.backends = compute::BackendsOfThisBuild();
  auto shared = std::make_shared<compute::SharedState>(settings.cache, settings.backends);
  return {"compute", compute::kSummary, compute::ComputeOptionFacts(),
          [shared](const Options& options) { return compute::MakeComputeDomain(shared, options); },
          [shared](const Options& options) { return compute::CheckCompute(*shared, options); }};
}

}  // namespace hone

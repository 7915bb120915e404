// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/compute_domain.h"

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <utility>

#include "hone/base/cache_folder.h"
#include "hone/domains/compute/backends/cpp_backend.h"
#include "hone/domains/compute/backends/torch_backend.h"
#include "hone/domains/compute/compute_options.h"
#include "hone/domains/compute/gpu/cuda_backend.h"
#include "hone/domains/compute/judge/feedback_session.h"
#include "hone/domains/compute/process/judge_process.h"
#include "hone/domains/compute/process/judged_elsewhere.h"
#include "hone/domains/compute/shared_state.h"
#include "hone/domains/compute/workflow.h"

namespace hone {
namespace compute {
namespace {

constexpr const char* kSummary =
    "compute kernels (C, C++, CUDA, PyTorch), checked and timed against a reference";

BackendTable BackendsOfThisBuild() {
  BackendTable table;
  for (BackendEntry entry : {CppBackendEntry(), CudaBackendEntry(), TorchBackendEntry()}) {
    const std::string name = entry.name;
    table.emplace(name, std::move(entry));
  }
  return table;
}

using OpenSession = std::function<Result<std::unique_ptr<Session>>()>;

class ComputeDomain final : public Domain {
 public:
  ComputeDomain(const ComputeOptions& options, const Capabilities& needs, OpenSession open)
      : open_(std::move(open)) {
    facts_.name = "compute";
    facts_.summary = kSummary;
    facts_.metrics = MetricsOf(options.problem, options.settings);
    facts_.needs_slot = true;  // It measures time.
    facts_.needs = needs;
    baseline_.source = options.problem.reference;
  }

  const DomainFacts& Facts() const override { return facts_; }
  const Space& SearchSpace() const override { return space_; }
  Candidate Baseline() const override { return baseline_; }
  Result<std::unique_ptr<Session>> Open() override { return open_(); }

 private:
  const OpenSession open_;
  DomainFacts facts_;
  Space space_;
  Candidate baseline_;
};

Error About(const Problem& problem, const Error& error) {
  return {error.code, fmt::format("problem {}: {}", problem.name, error.message)};
}

// Of options whose problem is read, without looking for a compiler: a worker has it, not the
// process that asks.
Result<Capabilities> NeedsOf(const SharedState& shared, const ComputeOptions& options) {
  const auto backend = shared.EntryNamed(options.problem.backend);
  if (!backend) return backend.error();
  if (const auto fits = (*backend)->check(options.problem); !fits) {
    return About(options.problem, fits.error());
  }
  Capabilities needs = (*backend)->needs;
  const std::int64_t memory_mib = options.problem.policy.memory_mib;
  if (memory_mib > Policy{}.memory_mib) needs.memory_mib = memory_mib;
  return needs;
}

Result<Capabilities> CheckCompute(const SharedState& shared, const Options& options) {
  const auto read = ReadComputeOptions(options);
  if (!read) return read.error();
  return NeedsOf(shared, *read);
}

Result<std::unique_ptr<Domain>> MakeComputeDomain(const std::shared_ptr<SharedState>& shared,
                                                  const Options& options) {
  auto read = ReadComputeOptions(options);
  if (!read) return read.error();
  const auto needs = NeedsOf(*shared, *read);
  if (!needs) return needs.error();
  auto backend = shared->BackendNamed(read->problem.backend);
  if (!backend) return backend.error();
  if (const auto fits = (*backend)->Check(read->problem); !fits) {
    return About(read->problem, fits.error());
  }
  const auto context = std::make_shared<const WorkflowContext>(
      WorkflowContext{read->problem, read->settings, shared, *backend, read->terms});
  return std::make_unique<ComputeDomain>(*read, *needs, [context] {
    return Result<std::unique_ptr<Session>>(
        WithFeedback(Workflows().at(context->problem.workflow).open(context), context));
  });
}

// The same, judged by processes of their own.
Result<std::unique_ptr<Domain>> MakeComputeDomainElsewhere(
    const SharedState& shared, const std::shared_ptr<JudgeProcesses>& processes,
    const Options& options) {
  const auto read = ReadComputeOptions(options);
  if (!read) return read.error();
  const auto needs = NeedsOf(shared, *read);
  if (!needs) return needs.error();
  return std::make_unique<ComputeDomain>(
      *read, *needs, [processes, options, build_timeout = read->settings.build_timeout] {
        return OpenElsewhere(processes, options, build_timeout);
      });
}

}  // namespace
}  // namespace compute

DomainEntry ComputeDomainEntry(ComputeSettings settings) {
  if (settings.cache.empty()) settings.cache = CacheFolder();
  if (settings.backends.empty()) settings.backends = compute::BackendsOfThisBuild();
  auto shared = std::make_shared<compute::SharedState>(settings.cache, settings.backends);
  DomainEntry entry{"compute", compute::kSummary, compute::ComputeOptionFacts(), {}, {}};
  entry.check = [shared](const Options& options) {
    return compute::CheckCompute(*shared, options);
  };
  entry.deviations = compute::DeviationsIn;
  if (settings.judge_program.empty()) {
    entry.make = [shared](const Options& options) {
      return compute::MakeComputeDomain(shared, options);
    };
    return entry;
  }
  const auto processes = std::make_shared<compute::JudgeProcesses>(compute::JudgeProgram{
      settings.judge_program, settings.cache, compute::DefaultJudgeMemoryMib()});
  entry.make = [shared, processes](const Options& options) {
    return compute::MakeComputeDomainElsewhere(*shared, processes, options);
  };
  return entry;
}

}  // namespace hone

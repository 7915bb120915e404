// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/backends/cpp_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "hone/base/process/embedded_program.h"
#include "hone/base/sha256.h"
#include "hone/domains/compute/backends/build_cache.h"
#include "hone/domains/compute/backends/cached_build.h"
#include "hone/domains/compute/backends/cpp_compiler.h"
#include "hone/domains/compute/backends/library_symbols.h"
#include "hone/domains/compute/backends/policy_check.h"
#include "hone/domains/compute/backends/run_time_views.h"
#include "hone/domains/compute/backends/shown_program.h"
#include "hone/domains/compute/runner/load_runner.h"
#include "hone/domains/compute/runner/runner_image.h"
#include "hone/sandbox/warm_sandboxes.h"

namespace hone::compute {
namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

constexpr const char* kRunnerInside = "/hone/runner";
constexpr int kCppBackendWarmSandboxes = 3;
constexpr std::chrono::hours kCppBackendRunnerLife{1};

SandboxCommand RunnerCommand(const fs::path& runner, const Policy& policy) {
  SandboxCommand command;
  command.arguments = {kRunnerInside};
  // Threads that wait for the next call must sleep: what they do between calls is charged.
  command.environment = {{"LC_ALL", "C.UTF-8"}, {"OMP_WAIT_POLICY", "passive"}};
  command.is_single = true;
  command.has_fixed_addresses = true;
  command.views = policy.libraries ? StandardViews() : RunTimeViews();
  command.views.push_back({runner, kRunnerInside, false});
  command.limits.memory_mib = MemoryLimitMib(policy);
  command.limits.scratch_mib = 16;
  command.limits.file_mib = 16;
  command.limits.processes = policy.threads;
  command.limits.open_files = 64;
  command.limits.wall = kCppBackendRunnerLife;
  command.max_output = 64 << 10;
  return command;
}

Capabilities CppNeeds() { return {{"cpp"}, 0}; }

class CppBackend final : public Backend {
 public:
  CppBackend(CppCompiler compiler, const fs::path& cache, fs::path runner)
      : compiler_(std::move(compiler)), builds_(cache / "builds"), runner_(std::move(runner)) {
    facts_ = {"cpp", "C and C++, built by " + compiler_.Names(), CppNeeds(), true, true, ""};
    if (!compiler_.is_there()) facts_.missing = "there is no g++ and no clang++: install g++";
  }

  const BackendFacts& Facts() const override { return facts_; }

  Result<void> Check(const Problem& problem) const override {
    if (!facts_.missing.empty()) return Error{Errc::kUnsupported, facts_.missing};
    return compiler_.Check(problem);
  }

  Result<Build> Compile(const BuildOrder& order) override {
    const auto began = SteadyClock::now();
    const std::string key = compiler_.KeyOf(order);
    Build build;
    const auto kept = CachedBuild(
        builds_, key, order, [&] { return compiler_.Compile(order); }, build);
    if (!kept) return kept.error();
    if (*kept) Judge(order, key, **kept, build);
    build.time = SteadyClock::now() - began;
    return build;
  }

  Result<Loaded> Load(const LoadOrder& order) override {
    auto warm = TakeWarmSandbox(order);
    if (!warm) return warm.error();
    const auto library = UnpackProgram("hone-kernel", order.artefact ? order.artefact->bytes : "");
    if (!library) return library.error();
    return LoadIntoRunner(std::move(*warm), library->get(),
                          order.artefact ? order.problem.entry_point : "", order);
  }

  std::shared_ptr<void> KeepStill() override { return Spares().Rest(); }

 private:
  // What the compiler said, or what its library shows.
  static void Judge(const BuildOrder& order, const std::string& key, const KeptBuild& kept,
                    Build& build) {
    const auto refuse = [&](Outcome outcome, std::string reason) {
      build.outcome = outcome;
      build.reason = std::move(reason);
    };
    if (!kept.is_built) return refuse(Outcome::kBuildFailed, "the source does not compile");
    const auto symbols = ReadLibrarySymbols(kept.library);
    if (!symbols) return refuse(Outcome::kBuildFailed, symbols.error().message);
    if (!symbols->exports.contains(order.problem.entry_point)) {
      return refuse(Outcome::kBuildFailed,
                    fmt::format("the source does not define the entry point: extern \"C\" {}",
                                SignatureOf(order.problem)));
    }
    if (order.role == TensorRole::kCandidate) {
      if (const auto breach = BreachOf(order.problem.policy, *symbols)) {
        return refuse(Outcome::kCheated, *breach);
      }
    }
    auto artefact = std::make_shared<Artefact>();
    artefact->id = Sha256Of(key) + "-" + Sha256Of(kept.library);
    artefact->bytes = kept.library;
    build.artefact = std::move(artefact);
  }

  Result<WarmSandbox> TakeWarmSandbox(const LoadOrder& order) {
    const Policy& policy = order.problem.policy;
    const Policy usual;
    if (policy.threads != usual.threads || policy.memory_mib != usual.memory_mib ||
        policy.libraries != usual.libraries) {
      return ReadyOnFirstMessage(RunnerCommand(runner_, policy))(order.stop);
    }
    return Spares().Take(order.stop);
  }

  // Made on first use.
  WarmSandboxes& Spares() {
    std::call_once(made_warm_sandboxes_, [&] {
      warm_sandboxes_ = WarmSandboxes::Make(kCppBackendWarmSandboxes,
                                            ReadyOnFirstMessage(RunnerCommand(runner_, {})));
    });
    return *warm_sandboxes_;
  }

  BackendFacts facts_;
  const CppCompiler compiler_;
  BuildCache builds_;
  const fs::path runner_;
  std::once_flag made_warm_sandboxes_;
  std::unique_ptr<WarmSandboxes> warm_sandboxes_;
};

Result<std::unique_ptr<Backend>> MakeCppBackend(const fs::path& cache) {
  auto runner = ShownProgram(cache, "runner", RunnerImage());
  if (!runner) return runner.error();
  return std::make_unique<CppBackend>(CppCompiler::Find(), cache, std::move(*runner));
}

}  // namespace

BackendEntry CppBackendEntry() {
  return {"cpp", "C and C++ with a declared entry point", CppNeeds(), CheckCppProblem,
          MakeCppBackend};
}

}  // namespace hone::compute

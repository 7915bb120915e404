// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/backends/torch_backend.h"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <utility>

#include "hone/base/json/json.h"
#include "hone/base/process/embedded_program.h"
#include "hone/base/sha256.h"
#include "hone/domains/compute/backends/build_cache.h"
#include "hone/domains/compute/backends/python_torch.h"
#include "hone/domains/compute/backends/torch_image.h"
#include "hone/domains/compute/runner/load_runner.h"
#include "hone/sandbox/warm_sandboxes.h"

namespace hone::compute {
namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

constexpr const char* kRunner = "torch_runner.py";
constexpr int kTorchBackendWarmSandboxes = 2;  // A kernel and its reference.
constexpr int kOwnThreads = 16;                // Of Python and its libraries, besides the policy's.
constexpr std::int64_t kOwnMemoryMib = 1536;   // Of PyTorch itself.
constexpr std::chrono::hours kTorchBackendRunnerLife{1};
constexpr int kNoSuchClass = 3;  // Exit status of `torch_runner.py check`.

// The class that a source must define.
bool HasCases(const Problem& problem) { return problem.workflow == "kernel_simple"; }

// What the source must define. Cases are made by a function, where they do not stand in the
// problem.
std::string ModelOf(const Problem& problem, TensorRole role) {
  if (HasCases(problem)) return role == TensorRole::kReference ? "get_cases" : problem.entry_point;
  return role == TensorRole::kReference ? problem.entry_point : problem.entry_point + "New";
}

SandboxCommand PythonCommand(const PythonTorch& python, const Policy& policy) {
  const std::string threads = std::to_string(policy.threads);
  SandboxCommand command;
  command.arguments = {python.python, "-I", "-B", kRunner};
  command.environment = {{"LC_ALL", "C.UTF-8"},
                         {"HOME", "/scratch"},
                         {"PATH", "/usr/bin:/bin"},
                         {"OMP_NUM_THREADS", threads},
                         {"OMP_WAIT_POLICY", "passive"},
                         {"MKL_NUM_THREADS", threads},
                         {"OPENBLAS_NUM_THREADS", threads},
                         {"TORCH_EXTENSIONS_DIR", "/scratch/extensions"}};
  command.views = StandardViews();
  command.files = {{kRunner, std::string(TorchRunnerText())}};
  command.is_single = true;
  command.has_fixed_addresses = true;
  command.limits.memory_mib = MemoryLimitMib(policy) + kOwnMemoryMib;
  command.limits.processes = policy.threads + kOwnThreads;
  command.limits.wall = kTorchBackendRunnerLife;
  command.max_output = 64 << 10;
  return command;
}

Capabilities TorchNeeds() { return {{"torch"}, 0}; }

Result<void> CheckTorchProblem(const Problem& problem) {
  if (problem.workflow == "kernelbench" && problem.reference.empty()) {
    return Error{Errc::kInvalidArgument, problem.name + ": reference: missing"};
  }
  return {};
}

class TorchBackend final : public Backend {
 public:
  TorchBackend(const fs::path& cache, Result<PythonTorch> python)
      : python_(python ? *python : PythonTorch{}), builds_(cache / "torch-checks") {
    facts_ = {"torch",
              python ? "PyTorch modules in KernelBench's form, on the processor; " + python->version
                     : "PyTorch modules in KernelBench's form, on the processor",
              TorchNeeds(),
              true,
              false,
              python ? "" : python.error().message};
  }

  const BackendFacts& Facts() const override { return facts_; }

  Result<void> Check(const Problem& problem) const override {
    if (!facts_.missing.empty()) return Error{Errc::kUnsupported, facts_.missing};
    return CheckTorchProblem(problem);
  }

  // Nothing is built; the source is parsed, so that what cannot run is said before it is run.
  Result<Build> Compile(const BuildOrder& order) override {
    const auto began = SteadyClock::now();
    const std::string model = ModelOf(order.problem, order.role);
    const std::string key = python_.version + '\n' + model + '\n' + order.source;
    Build build;
    auto kept = builds_.Find(key);
    build.is_cached = kept != nullptr;
    if (!kept) {
      auto parsed = Parse(order, model, build);
      if (!parsed) return parsed.error();
      if (build.outcome == Outcome::kTimedOut) return build;
      kept = builds_.Keep(key, std::move(*parsed));
    }
    if (kept->is_built) {
      build.artefact = ArtefactOf(order, key);
    } else {
      build.outcome = Outcome::kBuildFailed;
      build.reason = kept->library.empty() ? "the source is not Python" : kept->library;
      build.output = kept->output;
    }
    build.time = SteadyClock::now() - began;
    return build;
  }

  Result<Loaded> Load(const LoadOrder& order) override {
    auto warm = TakeWarmSandbox(order);
    if (!warm) return warm.error();
    const bool is_candidate = order.role == TensorRole::kCandidate;
    const Json document = {
        {"source", is_candidate && order.artefact ? order.artefact->bytes : ""},
        // What makes the cases knows the answers.
        {"reference",
         is_candidate && HasCases(order.problem) ? std::string() : order.problem.reference},
        {"role", is_candidate ? "candidate" : "reference"},
        {"precision", order.precision == Precision::kHigh ? "high" : "declared"},
        {"threads", order.problem.policy.threads},
        {"model", order.artefact ? ModelOf(order.problem, order.role) : ""}};
    const auto file = UnpackProgram("hone-source", Dump(document));
    if (!file) return file.error();
    return LoadIntoRunner(std::move(*warm), file->get(), order.problem.entry_point, order);
  }

  // Importing PyTorch takes a processor for two seconds.
  std::shared_ptr<void> KeepStill() override { return Spares().Rest(); }

 private:
  // What was found about the source, in the words of the build cache: `library` holds the reason
  // where it is not the parser's.
  Result<KeptBuild> Parse(const BuildOrder& order, const std::string& model, Build& build) const {
    SandboxCommand command = PythonCommand(python_, order.problem.policy);
    command.arguments.insert(command.arguments.end(), {"check", "source.py", model});
    command.files.emplace("source.py", order.source);
    command.limits.wall = order.limit;
    command.stop = order.stop;
    auto done = RunInSandbox(command);
    if (!done) return done.error();
    using End = SandboxResult::End;
    if (done->end == End::kTimedOut || done->end == End::kStopped) {
      build.outcome = Outcome::kTimedOut;
      build.reason =
          fmt::format("the source was still being parsed after {} ms", order.limit.count());
      return KeptBuild{};
    }
    if (done->end == End::kExited && done->status == 0) return KeptBuild{true, "", ""};
    if (done->end == End::kExited && done->status == kNoSuchClass) {
      return KeptBuild{false, "", fmt::format("the source defines no class {}", model)};
    }
    return KeptBuild{false, done->errors, ""};
  }

  std::shared_ptr<const Artefact> ArtefactOf(const BuildOrder& order,
                                             const std::string& key) const {
    auto artefact = std::make_shared<Artefact>();
    artefact->id = fmt::format("{}-{}", Sha256Of(key),
                               order.precision == Precision::kHigh ? "high" : "declared");
    artefact->bytes = order.source;
    artefact->notes = {{"python", python_.version}};
    return artefact;
  }

  Result<WarmSandbox> TakeWarmSandbox(const LoadOrder& order) {
    const Policy& policy = order.problem.policy;
    const std::pair<int, std::int64_t> recipe{policy.threads, policy.memory_mib};
    if (recipe != std::pair{usual_.threads, usual_.memory_mib}) {
      return ReadyOnFirstMessage(PythonCommand(python_, policy))(order.stop);
    }
    return Spares().Take(order.stop);
  }

  // Made on first use.
  WarmSandboxes& Spares() {
    std::call_once(made_warm_sandboxes_, [&] {
      warm_sandboxes_ = WarmSandboxes::Make(kTorchBackendWarmSandboxes,
                                            ReadyOnFirstMessage(PythonCommand(python_, usual_)));
    });
    return *warm_sandboxes_;
  }

  const PythonTorch python_;
  const Policy usual_;
  BackendFacts facts_;
  BuildCache builds_;
  std::once_flag made_warm_sandboxes_;
  std::unique_ptr<WarmSandboxes> warm_sandboxes_;
};

Result<std::unique_ptr<Backend>> MakeTorchBackend(const fs::path& cache) {
  return std::make_unique<TorchBackend>(cache, FindPythonTorch());
}

}  // namespace

BackendEntry TorchBackendEntry() {
  return {"torch", "PyTorch modules in KernelBench's form, on the processor", TorchNeeds(),
          CheckTorchProblem, MakeTorchBackend};
}

}  // namespace hone::compute

// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/gpu/cuda_backend.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <span>
#include <utility>

#include "hone/base/process/embedded_program.h"
#include "hone/base/process/process_tree.h"
#include "hone/base/sha256.h"
#include "hone/domains/compute/backends/build_cache.h"
#include "hone/domains/compute/backends/cached_build.h"
#include "hone/domains/compute/backends/shown_program.h"
#include "hone/domains/compute/gpu/call_memory.h"
#include "hone/domains/compute/gpu/cuda_compiler.h"
#include "hone/domains/compute/gpu/entry_compiler.h"
#include "hone/domains/compute/gpu/entry_recorder_image.h"
#include "hone/domains/compute/gpu/gpu_checker_image.h"
#include "hone/domains/compute/gpu/gpu_compiler_image.h"
#include "hone/domains/compute/gpu/gpu_peak.h"
#include "hone/domains/compute/gpu/gpu_runner.h"
#include "hone/domains/compute/gpu/gpu_runner_image.h"
#include "hone/domains/compute/gpu/gpu_turns.h"
#include "hone/domains/compute/gpu/gpu_watch.h"
#include "hone/domains/compute/gpu/input_stage.h"
#include "hone/domains/compute/gpu/launch_plan.h"
#include "hone/domains/compute/gpu/recorded_launches.h"
#include "hone/domains/compute/gpu/said_launches.h"
#include "hone/domains/compute/gpu/sanitizer.h"
#include "hone/domains/compute/runner/hand_over.h"
#include "hone/domains/compute/runner/runner_faults.h"
#include "hone/domains/compute/workflows/arena.h"
#include "hone/gpu/gpu_device.h"
#include "hone/sandbox/ended_sandboxes.h"
#include "hone/sandbox/warm_sandboxes.h"

namespace hone::compute {
namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

constexpr const char* kGpuRunnerInside = "/hone/gpu-runner";
constexpr int kCudaBackendWarmSandboxes = 2;  // Each holds half a GiB of the GPU's memory.
constexpr std::chrono::hours kGpuRunnerLife{1};
constexpr std::chrono::seconds kMaxContextWait{60};
constexpr std::chrono::seconds kGpuCallTimeout{2};
constexpr std::int64_t kDriverMemoryMib = 4096;  // What the driver itself takes of the host's.
constexpr const char* kSummaryOfCuda = "CUDA kernels, launched by Hone";

Capabilities CudaNeeds() { return {{"cuda"}, 0}; }

// Flags that change the code that is made, and no others: none that reads or writes a file.
bool IsAllowedCudaFlag(std::string_view flag) {
  constexpr std::array<std::string_view, 7> kBeginnings{"--use_fast_math",
                                                        "--fmad=",
                                                        "--ftz=",
                                                        "--prec-div=",
                                                        "--prec-sqrt=",
                                                        "--maxrregcount=",
                                                        "--extra-device-vectorization"};
  const bool is_plain = std::ranges::all_of(flag, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '=';
  });
  return is_plain && std::ranges::any_of(kBeginnings, [&](std::string_view beginning) {
           return flag.starts_with(beginning);
         });
}

Result<void> CheckCudaProblem(const Problem& problem) {
  const auto wrong = [&](std::string what) {
    return Error{Errc::kInvalidArgument, fmt::format("{}: {}", problem.name, what)};
  };
  if (problem.input_source != InputSource::kJudge || problem.outputs.empty()) {
    return wrong("a GPU kernel needs declared inputs and outputs");
  }
  for (const std::string& flag : problem.policy.flags) {
    if (!IsAllowedCudaFlag(flag)) {
      return wrong(
          fmt::format("policy.flags: {} is not allowed; flags that change the code are "
                      "(--use_fast_math, --fmad=false, --maxrregcount=64, …)",
                      flag));
    }
  }
  if (!SaysLaunches(problem.reference)) return {};  // Its host code launches.
  if (const auto plan = SaidLaunches::Parse(problem.reference, problem); !plan) {
    return wrong("reference: " + plan.error().message);
  }
  return {};
}

// A program of ours, which sees the GPU.
SandboxCommand GpuProgramCommand(const fs::path& program, const gpu::GpuFacts& gpu) {
  SandboxCommand command;
  command.arguments = {kGpuRunnerInside, "0"};  // It sees this one and no other.
  command.environment = {{"LC_ALL", "C.UTF-8"},
                         {"HOME", "/scratch"},
                         {"CUDA_VISIBLE_DEVICES", gpu.uuid},
                         {"CUDA_CACHE_DISABLE", "1"}};
  command.is_single = true;
  command.gpu_nodes = gpu.nodes;
  command.views = StandardViews();
  for (const char* file : {"/proc/driver/nvidia/params", "/proc/devices"}) {
    std::error_code failed;
    if (fs::exists(file, failed)) command.views.push_back({file});
  }
  if (const char* folder = std::getenv("HONE_CUDA"); folder != nullptr) {
    command.environment["HONE_CUDA"] = folder;
    command.views.push_back({folder});
  }
  command.views.push_back({program, kGpuRunnerInside, false});
  command.limits.memory_mib = kDriverMemoryMib;
  command.limits.scratch_mib = 16;
  command.limits.file_mib = 16;
  command.limits.processes = 64;  // The driver's own threads.
  command.limits.open_files = 1024;
  command.limits.wall = kGpuRunnerLife;
  command.max_output = 64 << 10;
  return command;
}

// Of a problem's largest shape, of the inputs or of the outputs.
std::size_t MemoryBytesOf(const Problem& problem, const std::vector<ArraySpec>& arrays,
                          Precision precision) {
  std::size_t max = 1;
  for (const Sizes& sizes : ShapesOf(problem)) {
    max = std::max(max, ArenaBytesFor(BytesOfArrays(arrays, sizes, precision)));
  }
  return max;
}

std::uint64_t ScratchBytesOf(const Problem& problem, const LaunchPlan& plan) {
  std::uint64_t max = 0;
  for (const Sizes& sizes : ShapesOf(problem)) max = std::max(max, plan.ScratchBytes(sizes));
  return max;
}

// Several times what the arrays take is room for partial results and transposed copies; one kernel
// that has the GPU's memory for itself keeps all others from it.
std::optional<RunnerFault> FaultOfScratch(const Problem& problem, std::uint64_t scratch_bytes) {
  constexpr std::uint64_t kTimesArrays = 8;
  constexpr std::uint64_t kMinAllowed = std::uint64_t{1} << 30;
  const std::uint64_t arrays = MemoryBytesOf(problem, problem.inputs, Precision::kDeclared) +
                               MemoryBytesOf(problem, problem.outputs, Precision::kDeclared);
  const std::uint64_t allowed = std::max(kMinAllowed, kTimesArrays * arrays);
  if (scratch_bytes <= allowed) return std::nullopt;
  return RunnerFault{RunnerFault::Kind::kNotLoaded,
                     fmt::format("it asks for {} MiB of scratch memory; {} MiB are allowed with "
                                 "arrays of this size",
                                 scratch_bytes >> 20, allowed >> 20),
                     ""};
}

// For whoever launches its kernels: a GpuLoadMessage or a CheckTask.
template <typename Message>
void DescribePlan(const LaunchPlan& plan, std::uint64_t scratch_bytes, Message& message) {
  message.scratch_bytes = scratch_bytes;
  message.streams = plan.streams();
  message.marks = plan.marks();
  message.multiplies = plan.multiplies() ? 1 : 0;
  message.functions = static_cast<std::uint32_t>(plan.functions().size());
  for (std::size_t i = 0; i < plan.functions().size(); ++i) {
    plan.functions()[i].copy(message.function[i], kMaxFunctionName - 1);
  }
}

// The launches of the shape that is timed: while the runner loads their kernels, it writes down
// what the driver says of them. What cannot be launched is said by the call that asks for it.
void PlanTimed(const Problem& problem, const LaunchPlan& plan, CallChannel& channel) {
  const std::vector<Sizes> shapes = ShapesOf(problem);
  auto& launches = *reinterpret_cast<LaunchBlock*>(channel.at(kLaunchOffset));
  if (shapes.empty() || !plan.Fill(shapes.front(), launches)) launches.steps = 0;
}

// How the kernels of what was built are launched; `code` becomes that of the GPU.
Result<std::shared_ptr<const LaunchPlan>> PlanOf(const LoadOrder& order, std::string& code) {
  const Artefact& artefact = *order.artefact;
  if (SaysLaunches(artefact.source)) {
    code = artefact.bytes;
    auto said = SaidLaunches::Parse(artefact.source, order.problem);
    if (!said) return said.error();
    return std::make_shared<const SaidLaunches>(std::move(*said));
  }
  auto build = UnpackEntryBuild(artefact.bytes);
  if (!build) return build.error();
  auto recorded = RecordedLaunches::Make(*build, order.problem, order.precision);
  if (!recorded) return recorded.error();
  code = std::move(build->cubin);
  return std::make_shared<const RecordedLaunches>(std::move(*recorded));
}

// A call under a sanitizer.
Result<void> DescribeCheck(const LaunchPlan& plan, const SanitizeOrder& order, CheckTask& task) {
  task.magic = kCheckMagic;
  DescribePlan(plan, plan.ScratchBytes(order.sizes), task);
  std::size_t arrays = 0;
  for (const Tensor& input : order.inputs) task.bytes[arrays++] = input.bytes.size();
  for (const ArraySpec& output : order.problem.outputs) {
    task.bytes[arrays++] = output.At(order.sizes).Bytes();
  }
  task.inputs = static_cast<std::uint32_t>(order.inputs.size());
  task.outputs = static_cast<std::uint32_t>(order.problem.outputs.size());
  return plan.Fill(order.sizes, task.launches);
}

class CudaBackend final : public Backend {
 public:
  CudaBackend(CudaCompiler compiler, Result<EntryCompiler> entry_compiler,
              Result<Sanitizer> sanitizer, const fs::path& cache, fs::path runner,
              std::shared_ptr<gpu::GpuDevice> device, std::string missing)
      : compiler_(std::move(compiler)),
        entry_compiler_(std::move(entry_compiler)),
        sanitizer_(std::move(sanitizer)),
        cache_(cache),
        builds_(cache / "cuda-builds"),
        runner_(std::move(runner)),
        device_(std::move(device)),
        turns_(cache, device_ ? device_->Facts().uuid : "no-gpu") {
    facts_.name = "cuda";
    facts_.summary = device_ ? fmt::format("{}; {}", kSummaryOfCuda, device_->Facts().name)
                             : std::string(kSummaryOfCuda);
    facts_.needs = CudaNeeds();
    facts_.has_high_precision = true;
    facts_.has_device = true;
    facts_.call_timeout = kGpuCallTimeout;
    facts_.missing = std::move(missing);
    if (device_) peak_ = ArchitecturePeak(device_->Facts());  // Until it is measured.
  }

  const BackendFacts& Facts() const override { return facts_; }

  Result<void> Check(const Problem& problem) const override {
    if (!facts_.missing.empty()) return Error{Errc::kUnsupported, facts_.missing};
    return CheckCudaProblem(problem);
  }

  Result<Build> Compile(const BuildOrder& order) override {
    const auto began = SteadyClock::now();
    Build build;
    const bool says_launches = SaysLaunches(order.source);
    if (auto why = Refusal(order, says_launches); !why.empty()) {
      build.outcome = Outcome::kBuildFailed;
      build.reason = std::move(why);
      return build;
    }
    const std::string key = says_launches ? compiler_.KeyOf(order) : entry_compiler_->KeyOf(order);
    const auto compile = [&] {
      return says_launches ? compiler_.Compile(order) : entry_compiler_->Compile(order);
    };
    const auto found = CachedBuild(builds_, key, order, compile, build);
    if (!found) return found.error();
    const auto& kept = *found;
    build.time = SteadyClock::now() - began;
    if (!kept) return build;
    if (!kept->is_built) {
      build.outcome = Outcome::kBuildFailed;
      build.reason = says_launches ? "the source does not compile"
                                   : "the source does not compile, or its host code asks for what "
                                     "it may not";
      return build;
    }
    auto artefact = std::make_shared<Artefact>();
    artefact->id = Sha256Of(key) + "-" + Sha256Of(kept->library);
    artefact->bytes = kept->library;
    artefact->source = order.source;
    artefact->notes = {
        {"compiler", says_launches ? compiler_.library().filename().native() : "nvcc"},
        {"gpu", device_->Facts().name}};
    build.artefact = std::move(artefact);
    return build;
  }

  Result<Loaded> Load(const LoadOrder& order) override {
    std::shared_ptr<const LaunchPlan> plan;
    std::string code;
    if (order.artefact) {
      auto planned = PlanOf(order, code);
      if (!planned) return planned.error();
      plan = std::move(*planned);
    }
    const std::uint64_t scratch_bytes = plan ? ScratchBytesOf(order.problem, *plan) : 0;
    if (auto fault = FaultOfScratch(order.problem, scratch_bytes)) {
      return Loaded{nullptr, std::move(fault)};
    }
    auto memory =
        memories_.Take(MemoryBytesOf(order.problem, order.problem.inputs, order.precision),
                       MemoryBytesOf(order.problem, order.problem.outputs, order.precision));
    if (!memory) return memory.error();
    const auto& inputs = (*memory)->inputs;
    const auto& outputs = (*memory)->outputs;
    auto channel = CallChannel::Make(sizeof(LaunchBlock));
    if (!channel) return channel.error();
    const auto cubin = UnpackProgram("hone-kernel", code);
    if (!cubin) return cubin.error();
    auto warm = Spares().Take(order.stop);
    if (!warm) return warm.error();

    auto message = std::make_unique<GpuLoadMessage>();
    message->magic = kGpuLoadMagic;
    message->version = kBlockVersion;
    message->input_bytes = inputs->bytes();
    message->output_bytes = outputs->bytes();
    if (plan) DescribePlan(*plan, scratch_bytes, *message);
    const std::array descriptors{channel->descriptor(), inputs->descriptor(), outputs->descriptor(),
                                 cubin->get()};
    if (plan) PlanTimed(order.problem, *plan, *channel);
    const auto pid =
        HandOver(warm->ours.at(0).get(), std::as_bytes(std::span(message.get(), 1)), descriptors);
    if (!pid) return pid.error();
    auto runner = std::make_unique<GpuRunner>(GpuParts{
        std::move(warm->sandbox), std::move(*channel), *pid, device_, std::move(*memory), stage_,
        std::move(plan), scratch_bytes, order.problem.sizes, ended_, UntilGone(order.role)});
    runner->Pin(order.cpus);
    Loaded loaded;
    loaded.fault = runner->AwaitLoaded(order.limit, order.stop);
    if (auto failure = FailureIn(loaded.fault)) return *std::move(failure);
    if (!loaded.fault) loaded.runner = std::move(runner);
    return loaded;
  }

  std::shared_ptr<void> TakeTurn() override {
    auto turn = turns_.Evaluate();
    // Before anything of a candidate is there, and one judge after the other.
    std::call_once(knows_peak_,
                   [&] { SetPeak(KeptGpuPeak(*this, device_->Facts(), PeaksFolder())); });
    const std::lock_guard lock(turn_mutex_);
    turn_ = turn;
    return turn;
  }

  std::shared_ptr<void> ShareTurn(const std::stop_token& stop) override {
    return turns_.Share(stop);
  }

  std::shared_ptr<void> KeepStill() override { return turns_.Time(); }

  std::optional<DeviceSight> Look() override {
    // Another judge of ours waits for its turn. One that has ended meanwhile was one of ours, or is
    // nobody's trouble any more.
    return LookAtGpu(*device_,
                     [](pid_t pid) { return DescendsFromOurProgram(pid).value_or(true); });
  }

  Result<void> CanSanitize() const override {
    if (!sanitizer_) return sanitizer_.error();
    return {};
  }

  Result<SanitizerReport> Sanitize(const SanitizeOrder& order) override {
    if (!sanitizer_) return sanitizer_.error();
    std::string code;
    const auto plan = PlanOf({order.problem, order.artefact}, code);
    if (!plan) return plan.error();
    const auto task = std::make_unique<CheckTask>();
    if (auto described = DescribeCheck(**plan, order, *task); !described) return described.error();
    std::string inputs;
    for (const Tensor& input : order.inputs) {
      inputs.append(reinterpret_cast<const char*>(input.bytes.data()), input.bytes.size());
    }
    const auto turn = turns_.MakeContext(order.stop);
    return sanitizer_->Run({*task, std::move(code), std::move(inputs)}, order.limit, order.stop);
  }

  MachinePeak Peak() const override {
    const std::lock_guard lock(peak_mutex_);
    return peak_;
  }

  MachinePeak RaisePeak() override {
    if (device_) SetPeak(RaiseGpuPeak(*this, device_->Facts(), PeaksFolder()));
    return Peak();
  }

 private:
  std::filesystem::path PeaksFolder() const { return cache_ / "gpu-peaks"; }

  void SetPeak(const MachinePeak& peak) {
    const std::lock_guard lock(peak_mutex_);
    peak_ = peak;
  }

  // Why a source is not even compiled; empty if it is.
  std::string Refusal(const BuildOrder& order, bool says_launches) const {
    if (!says_launches) return entry_compiler_ ? "" : entry_compiler_.error().message;
    const auto plan = SaidLaunches::Parse(order.source, order.problem);
    return plan ? "" : plan.error().message;
  }

  // A context that is taken apart disturbs whoever times, as one that is made does. From the end of
  // its evaluation's turn until then, a candidate's keeps others from timing.
  EndedSandboxes::Hold UntilGone(TensorRole role) {
    const std::lock_guard lock(turn_mutex_);
    auto turn = role == TensorRole::kCandidate ? turn_.lock() : nullptr;
    return [this, turn = std::move(turn)]() mutable {
      auto still = turns_.MakeContext({});
      turn.reset();
      return still;
    };
  }

  // Made on first use.
  WarmSandboxes& Spares() {
    std::call_once(made_warm_sandboxes_, [&] {
      auto make = ReadyOnFirstMessage(GpuProgramCommand(runner_, device_->Facts()));
      warm_sandboxes_ = WarmSandboxes::Make(
          kCudaBackendWarmSandboxes,
          [this, make = std::move(make)](const std::stop_token& stop) -> Result<WarmSandbox> {
            auto warm = make(stop);
            if (!warm) return warm;
            if (auto made = MakeContextOf(*warm, stop); !made) return made.error();
            return warm;
          });
    });
    return *warm_sandboxes_;
  }

  // Its first message says that it has all but a context.
  Result<void> MakeContextOf(WarmSandbox& warm, const std::stop_token& stop) const {
    const auto turn = turns_.MakeContext(stop);
    const char go = 'g';
    if (!turn || ::send(warm.ours[0].get(), &go, 1, MSG_NOSIGNAL) != 1) {
      return Error{Errc::kUnavailable, "a runner was stopped before it had a context"};
    }
    return AwaitMessage(warm, kGpuRunnerInside, kMaxContextWait, stop);
  }

  BackendFacts facts_;
  const CudaCompiler compiler_;
  const Result<EntryCompiler> entry_compiler_;
  const Result<Sanitizer> sanitizer_;
  const fs::path cache_;
  BuildCache builds_;
  const fs::path runner_;
  const std::shared_ptr<gpu::GpuDevice> device_;
  const GpuTurns turns_;
  std::once_flag knows_peak_;
  mutable std::mutex peak_mutex_;
  MachinePeak peak_;
  std::mutex turn_mutex_;
  std::weak_ptr<void> turn_;  // Of the evaluation that has it now.
  CallMemories memories_{MemoryShelf::Make(device_)};
  const std::shared_ptr<InputStage> stage_ = std::make_shared<InputStage>(device_);
  const std::shared_ptr<EndedSandboxes> ended_ = std::make_shared<EndedSandboxes>();
  std::once_flag made_warm_sandboxes_;
  std::unique_ptr<WarmSandboxes> warm_sandboxes_;
};

Result<std::unique_ptr<Backend>> MakeCudaBackend(const fs::path& cache) {
  auto runner = ShownProgram(cache, "gpu-runner", GpuRunnerImage());
  if (!runner) return runner.error();
  auto nvrtc_caller = ShownProgram(cache, "gpu-compiler", GpuCompilerImage());
  if (!nvrtc_caller) return nvrtc_caller.error();
  auto recorder = ShownProgram(cache, "entry-recorder", EntryRecorderImage());
  if (!recorder) return recorder.error();
  auto checker = ShownProgram(cache, "gpu-checker", GpuCheckerImage());
  if (!checker) return checker.error();
  auto gpus = gpu::FindGpus();
  auto nvrtc = FindNvrtc();
  std::string missing = !gpus ? gpus.error().message : !nvrtc ? nvrtc.error().message : "";
  std::shared_ptr<gpu::GpuDevice> device = gpus ? gpus->front() : nullptr;
  CudaCompiler compiler(std::move(*nvrtc_caller), nvrtc ? *nvrtc : fs::path(),
                        device ? device->Facts().Architecture() : "");
  auto nvcc = FindNvcc();
  Result<EntryCompiler> entry_compiler =
      nvcc ? Result<EntryCompiler>(EntryCompiler(std::move(*recorder), std::move(*nvcc),
                                                 device ? device->Facts() : gpu::GpuFacts{}))
           : Result<EntryCompiler>(nvcc.error());
  auto program = FindComputeSanitizer();
  Result<Sanitizer> sanitizer =
      program && device
          ? Result<Sanitizer>(
                Sanitizer(std::move(*program), GpuProgramCommand(*checker, device->Facts())))
          : Result<Sanitizer>(program ? Error{Errc::kUnsupported, missing} : program.error());
  return std::make_unique<CudaBackend>(std::move(compiler), std::move(entry_compiler),
                                       std::move(sanitizer), cache, std::move(*runner),
                                       std::move(device), std::move(missing));
}

}  // namespace

BackendEntry CudaBackendEntry() {
  return {"cuda", kSummaryOfCuda, CudaNeeds(), CheckCudaProblem, MakeCudaBackend};
}

}  // namespace hone::compute

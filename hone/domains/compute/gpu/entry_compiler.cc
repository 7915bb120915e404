// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/gpu/entry_compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "hone/core/rng.h"
#include "hone/domains/compute/backends/cpp_compiler.h"
#include "hone/domains/compute/gpu/entry_recorder_image.h"
#include "hone/domains/compute/gpu/entry_recording.h"
#include "hone/domains/compute/gpu/recorded_launches.h"
#include "hone/domains/compute/workflows/arena.h"
#include "hone/sandbox/sandbox.h"

namespace hone::compute {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRecorderInside = "/hone/recorder";
constexpr const char* kEntrySource = "kernel.cu";
constexpr const char* kEntryPrelude = "hone_prelude.h";
constexpr const char* kEntryLibrary = "kernel.so";
constexpr const char* kTask = "task";
constexpr const char* kRecording = "recording";
constexpr std::size_t kMaxEntryOutput = 256 << 10;
constexpr std::size_t kMaxEntryFile = 32 << 20;
constexpr std::int64_t kRecorderMemoryMib = 512;

// A structure whose layout is another in every version of CUDA: so it is filled in by the source.
constexpr const char* kDeviceProperties = R"(
#include <cuda_runtime_api.h>
#include <string.h>
static inline cudaError_t hone_device_properties(cudaDeviceProp* all, int device) {
  memset(all, 0, sizeof(*all));
  strcpy(all->name, "GPU");
  int value = 0;
#define HONE_PROPERTY(field, attribute) \
  (void)cudaDeviceGetAttribute(&value, attribute, device); \
  all->field = (decltype(all->field))value;
  HONE_PROPERTY(major, cudaDevAttrComputeCapabilityMajor)
  HONE_PROPERTY(minor, cudaDevAttrComputeCapabilityMinor)
  HONE_PROPERTY(multiProcessorCount, cudaDevAttrMultiProcessorCount)
  HONE_PROPERTY(sharedMemPerBlock, cudaDevAttrMaxSharedMemoryPerBlock)
  HONE_PROPERTY(sharedMemPerBlockOptin, cudaDevAttrMaxSharedMemoryPerBlockOptin)
  HONE_PROPERTY(sharedMemPerMultiprocessor, cudaDevAttrMaxSharedMemoryPerMultiprocessor)
  HONE_PROPERTY(regsPerBlock, cudaDevAttrMaxRegistersPerBlock)
  HONE_PROPERTY(regsPerMultiprocessor, cudaDevAttrMaxRegistersPerMultiprocessor)
  HONE_PROPERTY(maxThreadsPerBlock, cudaDevAttrMaxThreadsPerBlock)
  HONE_PROPERTY(maxThreadsPerMultiProcessor, cudaDevAttrMaxThreadsPerMultiProcessor)
  HONE_PROPERTY(maxBlocksPerMultiProcessor, cudaDevAttrMaxBlocksPerMultiprocessor)
  HONE_PROPERTY(warpSize, cudaDevAttrWarpSize)
  HONE_PROPERTY(l2CacheSize, cudaDevAttrL2CacheSize)
  HONE_PROPERTY(cooperativeLaunch, cudaDevAttrCooperativeLaunch)
#undef HONE_PROPERTY
  return cudaSuccess;
}
#undef cudaGetDeviceProperties
#define cudaGetDeviceProperties hone_device_properties
)";

std::string EntryPreludeOf(const BuildOrder& order) { return PreludeOf(order) + kDeviceProperties; }

bool IsTimeUp(const SandboxResult& result) {
  using End = SandboxResult::End;
  return result.end == End::kTimedOut || result.end == End::kStopped;
}

bool HasSucceeded(const SandboxResult& result) {
  return result.end == SandboxResult::End::kExited && result.status == 0;
}

std::string WhyNotRecorded(const SandboxResult& result) {
  if (result.end == SandboxResult::End::kSignalled) {
    return fmt::format("it died by signal {}; arrays are the GPU's, and cannot be read here\n",
                       result.status);
  }
  if (result.status == 0) return "it ended the process\n";
  return result.errors;
}

}  // namespace

Result<fs::path> FindNvcc() {
  std::vector<fs::path> places;
  if (const char* given = std::getenv("HONE_CUDA"); given != nullptr) {
    places = {fs::path(given) / "nvcc", fs::path(given).parent_path() / "bin/nvcc"};
  }
  for (const char* place : {"/usr/local/cuda/bin/nvcc", "/opt/cuda/bin/nvcc", "/usr/bin/nvcc"}) {
    places.emplace_back(place);
  }
  std::error_code failed;
  for (const fs::path& place : places) {
    if (fs::exists(place, failed)) return place;
  }
  return Error{Errc::kUnsupported,
               "a source without comments \"// hone: launch\" has host code, which nvcc compiles, "
               "and there is none: install CUDA's toolkit, or say the launches"};
}

EntryCompiler::EntryCompiler(fs::path recorder, fs::path nvcc, gpu::GpuFacts gpu)
    : recorder_(std::move(recorder)), nvcc_(std::move(nvcc)), gpu_(std::move(gpu)) {}

std::vector<std::string> EntryCompiler::ArgumentsOf(const BuildOrder& order) const {
  std::vector<std::string> arguments = {nvcc_.native(), "-arch=" + gpu_.Architecture(),
                                        "-std=c++17", "-O3", "-shared", "-Xcompiler", "-fPIC",
                                        // Calls of the runtime stay open: the recorder has them.
                                        "-cudart", "none",
                                        // What is made on the way is kept: of it the GPU's code.
                                        "-keep", "-include", kEntryPrelude};
  const auto& flags = order.problem.policy.flags;
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  arguments.insert(arguments.end(), {kEntrySource, "-o", kEntryLibrary});
  return arguments;
}

std::string EntryCompiler::TaskFor(const Problem& problem, const std::vector<CubinKernel>& kernels,
                                   const Sizes& sizes) const {
  std::string task;
  for (const CubinKernel& kernel : kernels) {
    task += fmt::format("kernel {} {}\n", kernel.name, fmt::join(kernel.parameter_bytes, " "));
  }
  for (const auto& [number, value] : gpu_.attributes) {
    task += fmt::format("attribute {} {}\n", number, value);
  }
  task += fmt::format("inputs {}\noutputs {}\nlibraries {}\n", problem.inputs.size(),
                      problem.outputs.size(), problem.policy.libraries ? 1 : 0);
  for (const std::string& name : problem.sizes) task += fmt::format("size {}\n", sizes.at(name));
  return task;
}

std::string EntryCompiler::KeyOf(const BuildOrder& order) const {
  std::string key = fmt::format("{}\n{}\n{}\n", fmt::join(ArgumentsOf(order), " "),
                                EntryPreludeOf(order), order.problem.entry_point);
  std::error_code failed;
  key += fmt::format("{}\n{:016x}\n", fs::canonical(nvcc_, failed).native(),
                     DigestOf(EntryRecorderImage()));
  for (const Sizes& sizes : ShapesOf(order.problem)) key += TaskFor(order.problem, {}, sizes);
  return key + order.source;
}

// Null if it is refused, with a text of why in `build`, or if its time is up.
Result<std::optional<EntryCompiler::Compiled>> EntryCompiler::CompileSource(
    const BuildOrder& order, KeptBuild& build, bool& is_time_up) const {
  const std::string cubin = fmt::format("kernel.{}.cubin", gpu_.Architecture());
  SandboxCommand command;
  command.arguments = ArgumentsOf(order);
  command.environment = {{"PATH", nvcc_.parent_path().native() + ":/usr/bin:/bin"},
                         {"LC_ALL", "C.UTF-8"},
                         {"TMPDIR", "/scratch"}};
  command.views = StandardViews();
  if (!nvcc_.native().starts_with("/usr/")) command.views.push_back({nvcc_.parent_path()});
  command.files = {{kEntrySource, order.source}, {kEntryPrelude, EntryPreludeOf(order)}};
  command.keep = {kEntryLibrary, cubin};
  command.max_kept = kMaxEntryFile;
  command.limits.wall = order.limit;
  command.max_output = kMaxEntryOutput;
  command.stop = order.stop;
  auto result = RunInSandbox(command);
  if (!result) return result.error();
  is_time_up = IsTimeUp(*result);
  if (is_time_up) return std::optional<Compiled>();
  build.output = result->errors + result->output;
  if (result->is_memory_exceeded) build.output += "the compiler took too much memory\n";
  if (result->is_errors_cut) build.output += "\n(the rest of the compiler's output is cut)\n";
  auto& files = result->files;
  if (!HasSucceeded(*result) || !files.contains(kEntryLibrary) || !files.contains(cubin)) {
    if (build.output.empty()) build.output = "nvcc made no code of the GPU\n";
    return std::optional<Compiled>();
  }
  return std::optional<Compiled>({std::move(files[kEntryLibrary]), std::move(files[cubin])});
}

// The same.
Result<std::optional<std::string>> EntryCompiler::Record(const BuildOrder& order,
                                                         const Compiled& compiled,
                                                         const std::vector<CubinKernel>& kernels,
                                                         const Sizes& sizes, KeptBuild& build,
                                                         bool& is_time_up) const {
  SandboxCommand command;
  command.arguments = {kRecorderInside, std::string("./") + kEntryLibrary,
                       order.problem.entry_point, kTask, kRecording};
  command.environment = {{"LC_ALL", "C.UTF-8"}};
  command.views = StandardViews();
  command.views.push_back({recorder_, kRecorderInside, false});
  command.files = {{kEntryLibrary, compiled.library},
                   {kTask, TaskFor(order.problem, kernels, sizes)}};
  command.keep = {kRecording};
  command.max_kept = sizeof(RecordingHeader) + sizeof(Step) * kMaxSteps;
  command.limits.wall = order.limit;
  command.limits.memory_mib = kRecorderMemoryMib;
  command.limits.processes = 1;
  command.max_output = kMaxEntryOutput;
  command.stop = order.stop;
  auto result = RunInSandbox(command);
  if (!result) return result.error();
  is_time_up = IsTimeUp(*result);
  if (is_time_up) return std::optional<std::string>();
  const auto recording = result->files.find(kRecording);
  if (HasSucceeded(*result) && recording != result->files.end()) return recording->second;
  build.output += fmt::format("host code {}({}): {}", order.problem.entry_point, TextOfSizes(sizes),
                              WhyNotRecorded(*result));
  return std::optional<std::string>();
}

Result<std::optional<KeptBuild>> EntryCompiler::Compile(const BuildOrder& order) const {
  const auto end = std::chrono::steady_clock::now() + order.limit;
  KeptBuild build;
  bool is_time_up = false;
  const auto refused = [&]() -> Result<std::optional<KeptBuild>> {
    return is_time_up ? std::optional<KeptBuild>() : std::optional(std::move(build));
  };
  auto compiled = CompileSource(order, build, is_time_up);
  if (!compiled) return compiled.error();
  if (!*compiled) return refused();
  EntryBuild made;
  made.cubin = (*compiled)->cubin;
  const auto kernels = ReadCubinKernels(made.cubin);
  if (!kernels) return kernels.error();
  BuildOrder rest = order;  // One limit for all of it.
  for (const Sizes& sizes : ShapesOf(order.problem)) {
    rest.limit = std::max(std::chrono::milliseconds{1},
                          std::chrono::duration_cast<std::chrono::milliseconds>(
                              end - std::chrono::steady_clock::now()));
    auto recording = Record(rest, **compiled, *kernels, sizes, build, is_time_up);
    if (!recording) return recording.error();
    if (!*recording) return refused();
    made.recordings.push_back(std::move(**recording));
  }
  if (const auto plan = RecordedLaunches::Make(made, order.problem, order.precision); !plan) {
    build.output += plan.error().message + "\n";
    return refused();
  }
  build.is_built = true;
  build.library = PackEntryBuild(made);
  return std::optional<KeptBuild>(std::move(build));
}

}  // namespace hone::compute

// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/gpu/cuda_compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>

#include "hone/sandbox/sandbox.h"

namespace hone::compute {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCompilerInside = "/hone/compiler";
constexpr const char* kSource = "kernel.cu";
constexpr const char* kCubin = "kernel.cubin";
constexpr std::size_t kMaxCudaOutput = 256 << 10;
constexpr std::size_t kMaxCubin = 32 << 20;

// Folders that may hold libnvrtc.so.N, the likeliest first.
std::vector<fs::path> Places() {
  std::vector<fs::path> places;
  if (const char* given = std::getenv("HONE_CUDA"); given != nullptr) places.emplace_back(given);
  for (const char* place : {"/usr/local/cuda/lib64", "/usr/lib/x86_64-linux-gnu",
                            "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/opt/cuda/lib64"}) {
    places.emplace_back(place);
  }
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator("/usr/local", failed)) {
    if (entry.path().filename().native().starts_with("cuda-")) {
      places.push_back(entry.path() / "lib64");
    }
  }
  return places;
}

// The newest one there; empty if there is none.
fs::path NvrtcIn(const fs::path& folder) {
  constexpr std::string_view kName = "libnvrtc.so.";
  fs::path best;
  int newest = 0;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(kName)) continue;
    const int version = std::atoi(name.c_str() + kName.size());
    if (version <= newest) continue;
    newest = version;
    best = fs::canonical(entry.path(), failed);
  }
  return best;
}

// Of cuda_fp16.h and the like.
fs::path HeadersBeside(const fs::path& library) {
  std::error_code failed;
  for (fs::path folder = library.parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    if (fs::exists(folder / "include/cuda_fp16.h", failed)) return folder / "include";
  }
  return {};
}

}  // namespace

std::string CudaPreludeOf(const BuildOrder& order) {
  const auto scalar = ScalarOf(order.problem);
  const bool is_double = order.precision == Precision::kHigh || scalar == DType::kF64;
  std::string text =
      "typedef signed char int8_t; typedef unsigned char uint8_t; typedef short int16_t; "
      "typedef unsigned short uint16_t; typedef int int32_t; typedef unsigned int uint32_t; "
      "typedef long long int64_t; typedef unsigned long long uint64_t;";
  if (scalar) text += fmt::format(" typedef {} scalar;", is_double ? "double" : "float");
  return text + fmt::format("\n#line 1 \"{}\"\n", kSource);
}

Result<fs::path> FindNvrtc() {
  for (const fs::path& place : Places()) {
    if (fs::path library = NvrtcIn(place); !library.empty()) return library;
  }
  return Error{Errc::kUnsupported,
               "there is a GPU and no compiler for it: install CUDA's NVRTC, or name the folder of "
               "libnvrtc.so in HONE_CUDA"};
}

CudaCompiler::CudaCompiler(fs::path program, fs::path library, std::string architecture)
    : program_(std::move(program)),
      library_(std::move(library)),
      headers_(HeadersBeside(library_)),
      architecture_(std::move(architecture)) {}

std::vector<std::string> CudaCompiler::OptionsOf(const BuildOrder& order) const {
  std::vector<std::string> options = {"--gpu-architecture=" + architecture_, "--std=c++17"};
  if (!headers_.empty()) options.push_back("--include-path=" + headers_.native());
  options.insert(options.end(), order.problem.policy.flags.begin(),
                 order.problem.policy.flags.end());
  return options;
}

std::string CudaCompiler::KeyOf(const BuildOrder& order) const {
  return fmt::format("{}\n{}\n{}\n{}", library_.native(), fmt::join(OptionsOf(order), " "),
                     CudaPreludeOf(order), order.source);
}

Result<std::optional<KeptBuild>> CudaCompiler::Compile(const BuildOrder& order) const {
  SandboxCommand command;
  command.arguments = {kCompilerInside, library_.native(), kSource, kCubin};
  const auto options = OptionsOf(order);
  command.arguments.insert(command.arguments.end(), options.begin(), options.end());
  // Its parts lie beside it.
  command.environment = {{"LC_ALL", "C.UTF-8"},
                         {"TMPDIR", "/scratch"},
                         {"LD_LIBRARY_PATH", library_.parent_path().native()}};
  command.views = StandardViews();
  if (!library_.native().starts_with("/usr/")) command.views.push_back({library_.parent_path()});
  command.views.push_back({program_, kCompilerInside, false});
  command.files = {{kSource, CudaPreludeOf(order) + order.source}};
  command.keep = {kCubin};
  command.max_kept = kMaxCubin;
  command.limits.wall = order.limit;
  command.limits.file_mib = 64;
  command.max_output = kMaxCudaOutput;
  command.stop = order.stop;
  auto result = RunInSandbox(command);
  if (!result) return result.error();
  using End = SandboxResult::End;
  if (result->end == End::kTimedOut || result->end == End::kStopped) {
    return std::optional<KeptBuild>();
  }
  KeptBuild build;
  build.output = result->errors;
  if (result->is_memory_exceeded) build.output += "the compiler took too much memory\n";
  if (result->is_errors_cut) build.output += "\n(the rest of the compiler's output is cut)\n";
  const auto cubin = result->files.find(kCubin);
  build.is_built =
      result->end == End::kExited && result->status == 0 && cubin != result->files.end();
  if (build.is_built) build.library = std::move(cubin->second);
  return std::optional<KeptBuild>(std::move(build));
}

}  // namespace hone::compute

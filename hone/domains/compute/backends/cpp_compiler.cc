// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/backends/cpp_compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "hone/base/file.h"
#include "hone/base/process/subprocess.h"
#include "hone/core/rng.h"
#include "hone/sandbox/sandbox.h"

namespace hone::compute {
namespace {

constexpr std::string_view kPrelude = "hone_prelude.h";
constexpr std::string_view kLibrary = "kernel.so";
constexpr std::size_t kMaxCompilerOutput = 256 << 10;
constexpr std::size_t kMaxLibrary = 32 << 20;
#if defined(__aarch64__)
constexpr const char* kThisMachine = "-mcpu=native";  // Clang 14 has no -march=native on ARM.
#else
constexpr const char* kThisMachine = "-march=native";
#endif

std::string SourceNameOf(const Problem& problem) {
  return problem.language == "c" ? "kernel.c" : "kernel.cc";
}

// Model and features, without what changes from moment to moment.
std::string MachineText() {
  const auto text = ReadFile("/proc/cpuinfo");
  if (!text) return "";
  std::string machine;
  for (const std::string_view key :
       {"model name", "flags", "Features", "CPU implementer", "CPU part"}) {
    const std::size_t begin = text->find(key);
    if (begin == std::string::npos) continue;
    machine += text->substr(begin, text->find('\n', begin) - begin) + "\n";
  }
  return machine;
}

bool IsWord(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '=' ||
           c == '+' || c == '.';
  });
}

// Flags that change the code that is made, and no others: none that reads or writes a file.
bool IsAllowedFlag(std::string_view flag) {
  static const std::vector<std::string_view> beginnings = {
      "-O",       "-funroll",     "-ffast-math", "-fno-",
      "-fopenmp", "-ftree-",      "-fvect",      "-fassociative",
      "-ffinite", "-freciprocal", "-mprefer",    "-mavx",
      "-mfma",    "-msse",        "-std=",       "-W"};
  if (!IsWord(flag) || flag.starts_with("-Wl") || flag.starts_with("-Wa") ||
      flag.starts_with("-Wp")) {
    return false;
  }
  return std::ranges::any_of(beginnings,
                             [&](std::string_view start) { return flag.starts_with(start); });
}

std::string CppCompilerRefusalOf(const SandboxResult& result, const SandboxLimits& limits) {
  if (result.is_memory_exceeded) {
    return fmt::format("the compiler took more than {} MiB of memory\n", limits.memory_mib);
  }
  if (result.is_scratch_full) {
    return fmt::format("the compiler wrote more than {} MiB\n", limits.scratch_mib);
  }
  if (result.is_processes_exceeded) return "the compiler started too many processes\n";
  if (result.end == SandboxResult::End::kSignalled) {
    return fmt::format("the compiler died by signal {}\n", result.status);
  }
  return "";
}

}  // namespace

std::string PreludeOf(const BuildOrder& order) {
  const Problem& problem = order.problem;
  const auto scalar = ScalarOf(problem);
  const bool is_double = order.precision == Precision::kHigh || scalar == DType::kF64;
  std::string text = "#pragma once\n#include <stdint.h>\n";
  if (scalar) text += fmt::format("typedef {} scalar;\n", is_double ? "double" : "float");
  const bool is_high = order.precision == Precision::kHigh;
  const std::string signature = SignatureOf(problem, is_high);
  text +=
      problem.language == "c" ? signature + ";\n" : fmt::format("extern \"C\" {};\n", signature);
  return text;
}

CppCompiler CppCompiler::Find() {
  CppCompiler compiler;
  for (const char* name : {"g++", "clang++"}) {
    Command command;
    command.arguments = {name, "--version"};
    const auto result = RunProcess(command);
    if (!result || result->end != ProcessResult::End::kExited || result->status != 0) continue;
    compiler.versions_[name] = result->output.substr(0, result->output.find('\n'));
  }
  compiler.machine_ = MachineText();
  return compiler;
}

std::string CppCompiler::Names() const {
  std::vector<std::string> names;
  for (const auto& [name, version] : versions_) names.push_back(name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string CppCompiler::CompilerOf(const Problem& problem) const {
  const auto found = problem.backend_options.find("compiler");
  if (found != problem.backend_options.end() && found->is_string()) return *found;
  return versions_.contains("g++") ? "g++" : "clang++";
}

Result<void> CppCompiler::Check(const Problem& problem) const {
  const std::string compiler = CompilerOf(problem);
  if (!versions_.contains(compiler)) {
    return Error{Errc::kUnsupported,
                 fmt::format("compiler {}: not on this machine; there is: {}", compiler, Names())};
  }
  return CheckCppProblem(problem);
}

Result<void> CheckCppProblem(const Problem& problem) {
  for (const std::string& flag : problem.policy.flags) {
    if (!IsAllowedFlag(flag)) {
      return Error{Errc::kInvalidArgument,
                   fmt::format("policy.flags: {} is not allowed; flags that change the code are "
                               "(-O2, -ffast-math, -funroll-loops, -fopenmp, …)",
                               flag)};
    }
  }
  for (const std::string& library : problem.policy.link) {
    if (!IsWord(library) || library.starts_with("-")) {
      return Error{Errc::kInvalidArgument,
                   fmt::format("policy.link: \"{}\" is not the name of a library", library)};
    }
  }
  return {};
}

std::vector<std::string> CppCompiler::ArgumentsOf(const BuildOrder& order) const {
  const Problem& problem = order.problem;
  const bool is_c = problem.language == "c";
  std::string compiler = CompilerOf(problem);
  if (is_c) compiler = compiler == "g++" ? "gcc" : "clang";
  std::vector<std::string> arguments = {
      compiler, is_c ? "-std=gnu17" : "-std=gnu++20", "-O3", kThisMachine,
      // How a loop happens to lie must not make it faster.
      "-falign-functions=64", "-falign-loops=64", "-fPIC", "-shared", "-fdiagnostics-color=never",
      "-Wl,-z,now", "-include", std::string(kPrelude)};
  arguments.insert(arguments.end(), problem.policy.flags.begin(), problem.policy.flags.end());
  arguments.insert(arguments.end(), {SourceNameOf(problem), "-o", std::string(kLibrary), "-lm"});
  for (const std::string& library : problem.policy.link) arguments.push_back("-l" + library);
  return arguments;
}

std::string CppCompiler::KeyOf(const BuildOrder& order) const {
  const std::string compiler = CompilerOf(order.problem);
  const auto version = versions_.find(compiler);
  return fmt::format("{}\n{}\n{}\n{}\n{}", version == versions_.end() ? "" : version->second,
                     machine_, fmt::join(ArgumentsOf(order), " "), PreludeOf(order), order.source);
}

Result<std::optional<KeptBuild>> CppCompiler::Compile(const BuildOrder& order) const {
  SandboxCommand command;
  command.arguments = ArgumentsOf(order);
  command.environment = {{"PATH", "/usr/bin:/bin"}, {"LC_ALL", "C.UTF-8"}, {"TMPDIR", "/scratch"}};
  command.views = StandardViews();
  command.files = {{SourceNameOf(order.problem), order.source},
                   {std::string(kPrelude), PreludeOf(order)}};
  command.keep = {std::string(kLibrary)};
  command.max_kept = kMaxLibrary;
  command.limits.wall = order.limit;
  command.limits.file_mib = 64;
  command.max_output = kMaxCompilerOutput;
  command.stop = order.stop;
  auto result = RunInSandbox(command);
  if (!result) return result.error();
  if (result->end == SandboxResult::End::kTimedOut || result->end == SandboxResult::End::kStopped) {
    return std::optional<KeptBuild>();
  }
  KeptBuild build;
  build.output = CppCompilerRefusalOf(*result, command.limits) + result->errors + result->output;
  if (result->is_errors_cut) build.output += "\n(the rest of the compiler's output is cut)\n";
  const auto library = result->files.find(std::string(kLibrary));
  const bool has_ended_well = result->end == SandboxResult::End::kExited && result->status == 0;
  build.is_built = has_ended_well && library != result->files.end();
  if (has_ended_well && !build.is_built) {
    build.output += fmt::format("the library is larger than {} MiB\n", kMaxLibrary >> 20);
  }
  if (build.is_built) build.library = std::move(library->second);
  return std::optional<KeptBuild>(std::move(build));
}

}  // namespace hone::compute

// SPDX-License-Identifier: Apache-2.0
#include "bench/cheat_variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "bench/cpp_tricks.h"
#include "bench/cuda_tricks.h"
#include "bench/host_code.h"
#include "bench/torch_tricks.h"
#include "hone/base/json/json.h"

namespace hone {
namespace {

using compute::Problem;

void ReplaceAll(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

std::string NamesOf(const std::vector<compute::ArraySpec>& arrays) {
  std::vector<std::string> names;
  names.reserve(arrays.size());
  for (const auto& array : arrays) names.push_back(array.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string BytesOf(const std::vector<compute::ArraySpec>& arrays) {
  std::vector<std::string> bytes;
  for (const auto& array : arrays) {
    std::string text = std::to_string(SizeOf(array.dtype));
    for (const auto& extent : array.shape) text += "*(" + extent.text() + ")";
    bytes.push_back("static_cast<size_t>(" + text + ")");
  }
  return fmt::format("{}", fmt::join(bytes, ", "));
}

std::string CppSource(const Problem& problem, const char* body) {
  std::vector<std::string> arguments;
  for (const auto* arrays : {&problem.inputs, &problem.outputs}) {
    for (const auto& array : *arrays) arguments.push_back(array.name);
  }
  arguments.insert(arguments.end(), problem.sizes.begin(), problem.sizes.end());
  const std::string signature = SignatureOf(problem);
  const std::size_t begin = signature.find('(') + 1;
  std::string source = kTools;
  ReplaceAll(source, "@BODY@", body);
  ReplaceAll(source, "@PARAMETERS@", signature.substr(begin, signature.rfind(')') - begin));
  ReplaceAll(source, "@ARGUMENTS@", fmt::format("{}", fmt::join(arguments, ", ")));
  ReplaceAll(source, "@INPUTS@", std::to_string(problem.inputs.size()));
  ReplaceAll(source, "@OUTPUTS@", std::to_string(problem.outputs.size()));
  ReplaceAll(source, "@INPUT_NAMES@", NamesOf(problem.inputs));
  ReplaceAll(source, "@OUTPUT_NAMES@", NamesOf(problem.outputs));
  ReplaceAll(source, "@INPUT_BYTES@", BytesOf(problem.inputs));
  ReplaceAll(source, "@OUTPUT_BYTES@", BytesOf(problem.outputs));
  ReplaceAll(source, "@REFERENCE@", problem.reference);
  return source;
}

// One kernel of a CUDA source, as it is declared.
struct CudaKernel {
  std::string name;
  std::string parameters;
  std::string arguments;  // Their names.
};

constexpr int kGpuJudges = 4;
constexpr std::string_view kGlobal = "extern \"C\" __global__ void ";

std::string ArgumentsOf(const std::string& parameters) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < parameters.size();) {
    const std::size_t end = std::min(parameters.find(',', begin), parameters.size());
    const std::size_t space = parameters.find_last_of(" *\n", end - 1);
    names.push_back(parameters.substr(space + 1, end - space - 1));
    begin = end + 1;
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::vector<CudaKernel> KernelsOf(const std::string& source) {
  std::vector<CudaKernel> kernels;
  for (std::size_t at = source.find(kGlobal); at != std::string::npos;
       at = source.find(kGlobal, at + 1)) {
    const std::size_t name = at + kGlobal.size();
    const std::size_t open = source.find('(', name);
    const std::size_t close = source.find(')', open);
    CudaKernel kernel{source.substr(name, open - name), source.substr(open + 1, close - open - 1),
                      ""};
    kernel.arguments = ArgumentsOf(kernel.parameters);
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

std::string CountOfCuda(const compute::ArraySpec& array) {
  std::string text = "1";
  for (const auto& extent : array.shape) text += " * (" + extent.text() + ")";
  return text;
}

void FillInCuda(const Problem& problem, std::string& source) {
  const auto& input = problem.inputs.back();  // Of several, the last is the largest.
  const auto& output = problem.outputs.front();
  const std::string& size = problem.sizes.front();
  ReplaceAll(source, "@INPUT@", input.name);
  ReplaceAll(source, "@OUTPUT@", output.name);
  ReplaceAll(source, "@COUNT@", CountOfCuda(output));
  ReplaceAll(source, "@OUTPUT_BYTES@",
             fmt::format("{} * {}", SizeOf(output.dtype), CountOfCuda(output)));
  ReplaceAll(source, "@SIZE@", size);
  ReplaceAll(source, "@TIMED_SIZE@", std::to_string(problem.shapes.front().at(size)));
}

bool IsNamedIn(const std::string& arguments, const std::string& name) {
  return fmt::format(", {},", arguments).find(fmt::format(" {},", name)) != std::string::npos;
}

// Those that a forger names.
bool HasArrays(const CudaKernel& kernel, const Problem& problem) {
  return IsNamedIn(kernel.arguments, problem.inputs.back().name) &&
         IsNamedIn(kernel.arguments, problem.outputs.front().name);
}

// The honest kernels become functions, which kernels of the same names call, with `before` and
// `behind` around. A forger's go where the arrays that it names are at hand.
std::string CudaSource(const Problem& problem, const CudaWhole& whole) {
  std::string honest = problem.reference;
  std::string wrappers;
  const bool is_forger = std::string_view(whole.kind) == "forged";
  for (const CudaKernel& kernel : KernelsOf(problem.reference)) {
    ReplaceAll(honest, fmt::format("{}{}(", kGlobal, kernel.name),
               fmt::format("static __device__ void honest_{}(", kernel.name));
    const bool is_tricky = !is_forger || HasArrays(kernel, problem);
    const std::string call = fmt::format("honest_{}({});", kernel.name, kernel.arguments);
    wrappers +=
        fmt::format("{}{}({}) {{\n  {}\n  {}\n  {}\n}}\n", kGlobal, kernel.name, kernel.parameters,
                    is_tricky ? whole.before : "", call, is_tricky ? whole.behind : "");
    ReplaceAll(wrappers, "@HONEST@", call);
  }
  std::string source = std::string(kCudaTools) + honest + wrappers + whole.kernels + whole.launches;
  FillInCuda(problem, source);
  return source;
}

std::string CudaPeek(const Problem& problem) {
  std::string source = kCudaPeekLaunches + CudaSource(problem, kCudaPeek);
  FillInCuda(problem, source);
  return source;
}

// A kernel that decides comes first, and the others leave something out when it has.
std::string CudaCheat(const Problem& problem, const CudaTrick& trigger, const CudaTrick& action) {
  const std::string before = fmt::format("if (kept.skips) {{ {} }}", action.code);
  const std::string& input = problem.inputs.back().name;
  const std::string& output = problem.outputs.front().name;
  const std::string& size = problem.sizes.front();
  std::string source = fmt::format("// hone: launch decide grid(1) block(1) args({}, {}, {})\n",
                                   input, output, size) +
                       CudaSource(problem, {"", "", before.c_str(), "", "", ""}) +
                       fmt::format(
                           "{}decide(const scalar* {}, scalar* {}, int64_t {}) {{\n"
                           "  ++kept.calls;\n  const long long now = clock64();\n"
                           "  kept.skips = ({}) ? 1 : 0;\n  kept.last = now;\n}}\n",
                           kGlobal, input, output, size, trigger.code);
  FillInCuda(problem, source);
  return source;
}

}  // namespace

VariedProblem VaryCuda(const std::string& name) {
  const Problem problem = compute::FindProblem(name).value();
  VariedProblem varied{name, {{"problem", name}}, problem.reference, {}};
  const bool has_forgers =
      std::ranges::any_of(KernelsOf(problem.reference),
                          [&](const CudaKernel& kernel) { return HasArrays(kernel, problem); });
  for (const CudaWhole& whole : kCudaWholes) {
    if (std::string_view(whole.kind) == "forged" && !has_forgers) continue;
    varied.variants.push_back(
        {whole.kind, whole.name, CudaSource(problem, whole), whole.is_to_crash});
  }
  varied.variants.push_back({kCudaPeek.kind, kCudaPeek.name, CudaPeek(problem)});
  for (const CudaTrick& trigger : kCudaTriggers) {
    for (const CudaTrick& action : kCudaActions) {
      varied.variants.push_back({"skipped", fmt::format("{}: {}", trigger.name, action.name),
                                 CudaCheat(problem, trigger, action)});
    }
  }
  varied.variants.push_back({"honest", "with host code", WithHostCode(problem.reference, problem)});
  varied.judges = kGpuJudges;
  return varied;
}

VariedProblem VaryCpp(const std::string& name) {
  const Problem problem = compute::FindProblem(name).value();
  VariedProblem varied{name, {{"problem", name}}, problem.reference, {}};
  for (const Trick& trick : kCppTricks) {
    varied.variants.push_back({trick.kind, trick.name, CppSource(problem, trick.body)});
  }
  return varied;
}

VariedProblem VaryThreads() {
  const Problem problem = compute::FindProblem("relu_threads").value();
  Json four = ParseJson(problem.text, "relu_threads").value();
  four["policy"]["threads"] = 4;
  four["policy"]["flags"] = {"-O2", "-fopenmp"};
  VariedProblem varied{"four threads",
                       {{"problem_text", Dump(four)}},
                       CppSource(problem, kThreadTricks[0].body),
                       {}};
  for (const Trick& trick : kThreadTricks) {
    varied.variants.push_back({trick.kind, trick.name, CppSource(problem, trick.body)});
  }
  return varied;
}

namespace {

VariedProblem VaryTorchSource(const std::string& name, const char* reference,
                              const std::string& tools, std::span<const Trick> tricks) {
  const Json problem = {
      {"name", name}, {"backend", "torch"}, {"entry_point", "Model"}, {"reference", reference}};
  VariedProblem varied{name + " (torch)", {{"problem_text", Dump(problem)}}, "", {}};
  for (const Trick& trick : tricks) {
    const std::string source = tools + trick.body;
    if (std::string_view(trick.name) == "as it is") varied.honest = source;
    varied.variants.push_back({trick.kind, trick.name, source});
  }
  return varied;
}

}  // namespace

std::vector<VariedProblem> VaryTorch() {
  return {VaryTorchSource("gemm_gelu", kTorchReference, kTorchTools, kTorchTricks),
          VaryTorchSource("relu", kTorchReluReference, kTorchReluTools, kTorchReluTricks)};
}

}  // namespace hone

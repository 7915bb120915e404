// SPDX-License-Identifier: Apache-2.0
#include "bench/cheat_variants.h"

#include <fmt/format.h>

#include <utility>

#include "bench/cpp_tricks.h"
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

}  // namespace

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

VariedProblem VaryTorch() {
  const Json problem = {{"name", "gemm_gelu"},
                        {"backend", "torch"},
                        {"entry_point", "Model"},
                        {"reference", kTorchReference}};
  VariedProblem varied{"gemm_gelu (torch)", {{"problem_text", Dump(problem)}}, "", {}};
  for (const Trick& trick : kTorchTricks) {
    const std::string source = std::string(kTorchTools) + trick.body;
    if (std::string_view(trick.name) == "as it is") varied.honest = source;
    varied.variants.push_back({trick.kind, trick.name, source});
  }
  return varied;
}

}  // namespace hone

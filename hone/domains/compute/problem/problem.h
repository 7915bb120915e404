// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/json/json.h"
#include "hone/core/result.h"
#include "hone/domains/compute/problem/formula.h"
#include "hone/domains/compute/tensor.h"

// What is to be computed, and what a kernel may do for it. The format: docs/formats/problem.md.
namespace hone::compute {

// How the values of an input are drawn.
enum class Distribution {
  kUniform,   // In [-1, 1); integers: in [low, high].
  kNormal,    // Mean 0, variance 1.
  kPositive,  // In (0, 1].
  kWide,      // Signs and magnitudes from 2^-12 to 2^12.
  kSparse,    // Nine of ten are 0.
  kShifted,   // Mean 8, variance 1: far from 0, so that cancellation shows.
};

std::string_view NameOf(Distribution distribution);
Result<Distribution> DistributionNamed(std::string_view name);

struct ArraySpec {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<Formula> shape;
  std::vector<Distribution> distributions;  // Of an input.
  std::int64_t low = 0;                     // Of an integer input; both included.
  std::int64_t high = 0;

  TensorSpec At(const Sizes& sizes) const;
};

// What a kernel may do. The same for the reference.
struct Policy {
  int threads = 1;                 // That it may use at once, itself included.
  bool libraries = false;          // May it call a library that does the work?
  bool is_bitwise = false;         // The same inputs must give the same bits.
  bool is_tf32 = false;            // f32 inputs may be rounded to TF32, as matrix units do.
  std::vector<std::string> link;   // Libraries that it may be linked with: "openblas".
  std::vector<std::string> flags;  // More flags of the compiler.
  std::int64_t memory_mib = 1024;  // For itself, besides the arrays.
};

// A fixed pair of inputs and outputs (workflow kernel_simple).
struct FixedCase {
  std::string name;
  Sizes sizes;
  Tensors inputs;
  Tensors outputs;  // Empty: it is only run.
  std::optional<double> rtol;
  std::optional<double> atol;
};

// Where the values of the inputs come from.
enum class InputSource {
  kJudge,      // Drawn by the judge as the problem says (cpp).
  kReference,  // Made by the reference's own code from a seed (torch: get_inputs).
  kCases,      // Written in the problem.
};

struct Problem {
  std::string name;
  std::string summary;
  std::string workflow = "kernelbench";  // Or "kernel_simple".
  std::string backend = "cpp";
  std::string language = "c++";  // Of cpp: "c++" or "c".
  std::string entry_point = "kernel";
  std::string reference;  // Source text; empty in kernel_simple.

  InputSource input_source = InputSource::kJudge;
  std::vector<ArraySpec> inputs;
  std::vector<ArraySpec> outputs;
  std::vector<std::string> sizes;  // In the order in which they are passed.
  std::vector<Sizes> shapes;       // The first is the one that is timed; the others only checked.
  std::vector<FixedCase> cases;

  Policy policy;
  std::optional<double> rtol;  // Instead of what the reference's own error gives.
  std::optional<double> atol;
  Formula operations;  // At least so many arithmetic operations, at least so many bytes moved:
  Formula bytes;       // the floor below which a time is not believed.

  std::vector<std::string> traps;  // What kernels for it are known to get wrong, or to be slow by.

  // Which compiler, and whatever else a backend reads for itself: "init_inputs", …
  Json backend_options = Json::object();

  std::string text;  // The whole document with the reference in it: what caches go by.
};

// `text` is the document; an inline problem has its "reference" in it, one in a folder has
// "reference_file", which is read from `folder`. `what` names it in messages.
Result<Problem> ParseProblem(std::string_view text, const std::string& what,
                             const std::filesystem::path& folder = {});

// A problem by its name in data/problems. An unknown name is an error that lists what there is and
// names the nearest. Nothing of the file system is looked at: names come over the network.
Result<Problem> FindProblem(const std::string& name);

// The problem.json of this folder with the file of its reference, both regular files. For a path
// that the person at this machine gave; kNotFound if there is none.
Result<Problem> ReadProblemFolder(const std::filesystem::path& folder);

std::string TextOfSizes(const Sizes& sizes);  // "m = 2, n = 3".

// How many trials of correctness are made where so many are asked for: the shape that is timed has
// one with every variant of the distributions (input_data.h), every other shape has one.
std::size_t TrialsOf(const Problem& problem, std::int64_t asked);

// What the trial with this number, from 0, is made of. Those of the shape that is timed come first:
// trial i has its variant i.
struct TrialPlan {
  std::size_t shape = 0;
  std::size_t variant = 0;
};
TrialPlan PlanOfTrial(const Problem& problem, std::size_t number);

// kInvalidArgument, with the limit, if the arrays of that many trials together are more than a
// judge makes for one evaluation.
Result<void> CheckTrials(const Problem& problem, std::int64_t asked);

// Names of the problems in data/problems when this was built, sorted: all, or those of one backend.
std::vector<std::string> ProblemNames(std::string_view backend = "");

// The C declaration of the entry point: inputs, then outputs, then sizes. `scalar` replaces the
// floating type where asked for.
std::string SignatureOf(const Problem& problem, bool with_scalar = false);

// The floating type of the arrays, if there is one: what `scalar` stands for.
std::optional<DType> ScalarOf(const Problem& problem);

}  // namespace hone::compute

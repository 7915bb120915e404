// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/problem/problem_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <set>
#include <utility>

#include "hone/domains/compute/runner/call_block.h"

namespace hone::compute {
namespace {

constexpr std::int64_t kMaxBytes = std::int64_t{1} << 30;  // Of the arrays of one call together.
constexpr std::size_t kMaxShapes = 1000;
constexpr std::size_t kMaxCases = 1000;
constexpr std::size_t kMaxWords = 64;  // Flags, libraries, distributions.
constexpr std::size_t kMaxTraps = 16;
constexpr std::int64_t kMaxExtent = std::int64_t{1} << 32;

bool IsIdentifier(const std::string& name) {
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) return false;
  return std::ranges::all_of(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
}

// Of a list that anyone may have made as long as a document can be.
std::vector<JsonReader> ItemsOf(JsonReader reader, std::size_t max) {
  const Json& list = reader.Raw();
  if (!list.is_array() || list.size() <= max) return reader.Items();
  reader.Fail(fmt::format("{} items; at most {}", list.size(), max));
  return {};
}

// Reads one document, straight down; the first fault is kept by the JsonReader.
class ProblemReader {
 public:
  ProblemReader(const Json& json, std::string what, const ReadReference& read)
      : what_(std::move(what)), root_(json, what_), read_(read) {}

  Result<Problem> Read() {
    Names();
    Reference();
    SizesAndShapes();
    problem_.inputs = Arrays("inputs", true);
    problem_.outputs = Arrays("outputs", false);
    problem_.operations = FormulaAt("operations");
    problem_.bytes = FormulaAt("bytes");
    ReadTraps();
    ReadPolicy();
    ReadTolerance();
    Cases();
    if (root_.Has("backend_options")) problem_.backend_options = root_.At("backend_options").Raw();
    root_.RefuseOthers();
    if (const auto read = root_.Finish(); !read) return read.error();
    if (!fault_.empty()) return Error{Errc::kInvalidArgument, what_ + ": " + fault_};
    if (const auto whole = CheckWhole(); !whole) return whole.error();
    Json text = root_.Raw();
    text["reference"] = problem_.reference;
    text.erase("reference_file");  // The text stands for itself, wherever it is read.
    problem_.text = Dump(text);
    return problem_;
  }

 private:
  std::string TextAt(std::string_view key, std::string otherwise) {
    return root_.Has(key) ? root_.At(key).String() : std::move(otherwise);
  }

  void Choose(std::string_view key, const std::string& found,
              const std::vector<std::string>& allowed) {
    if (std::ranges::find(allowed, found) == allowed.end()) {
      Fail(fmt::format("{}: found \"{}\", allowed: {}", key, found, fmt::join(allowed, ", ")));
    }
  }

  void Fail(std::string message) {
    if (fault_.empty()) fault_ = std::move(message);
  }

  void Names() {
    problem_.name = TextAt("name", "inline");
    problem_.summary = TextAt("summary", "");
    problem_.workflow = TextAt("workflow", "kernelbench");
    problem_.backend = TextAt("backend", "cpp");
    problem_.language = TextAt("language", "c++");
    problem_.entry_point = TextAt("entry_point", problem_.backend == "torch" ? "Model" : "kernel");
    Choose("workflow", problem_.workflow, {"kernelbench", "kernel_simple"});
    Choose("language", problem_.language, {"c++", "c"});
    if (!IsIdentifier(problem_.entry_point)) {
      Fail(fmt::format("entry_point: \"{}\" is not a name", problem_.entry_point));
    }
  }

  void Reference() {
    if (root_.Has("reference")) {
      problem_.reference = root_.At("reference").String();
    } else if (root_.Has("reference_file")) {
      const auto text = read_(root_.At("reference_file").String());
      if (!text) return Fail(text.error().message);
      problem_.reference = *text;
    }
    if (problem_.workflow == "kernelbench" && problem_.reference.empty()) {
      Fail("reference: missing; kernelbench compares with one (reference or reference_file)");
    }
  }

  void SizesAndShapes() {
    if (root_.Has("sizes")) {
      for (JsonReader& item : ItemsOf(root_.At("sizes"), kMaxSizes)) {
        problem_.sizes.push_back(item.String());
      }
    }
    for (const std::string& size : problem_.sizes) {
      if (!IsIdentifier(size)) Fail(fmt::format("sizes: \"{}\" is not a name", size));
    }
    if (root_.Has("shapes")) {
      for (JsonReader& item : ItemsOf(root_.At("shapes"), kMaxShapes)) {
        problem_.shapes.push_back(OneShape(item));
      }
    }
    if (problem_.shapes.empty() && problem_.sizes.empty()) problem_.shapes.push_back({});
  }

  Sizes OneShape(JsonReader& reader) {
    Sizes sizes;
    if (const std::size_t count = reader.Raw().size(); count > kMaxSizes) {
      reader.Fail(fmt::format("{} members; at most {}", count, kMaxSizes));
      return sizes;
    }
    for (auto& [name, value] : reader.Members()) {
      const std::int64_t extent = value.Integer();
      if (extent < 1 || extent > kMaxExtent) {
        value.Fail(fmt::format("found {}, allowed: 1 to {}", extent, kMaxExtent));
      }
      if (std::ranges::find(problem_.sizes, name) == problem_.sizes.end()) {
        value.Fail(fmt::format("not one of \"sizes\" ({})", fmt::join(problem_.sizes, ", ")));
      }
      sizes[name] = extent;
    }
    if (sizes.size() != problem_.sizes.size()) {
      reader.Fail(fmt::format("expected a value for each of: {}", fmt::join(problem_.sizes, ", ")));
    }
    return sizes;
  }

  Formula FormulaAt(std::string_view key) {
    if (!root_.Has(key)) return {};
    JsonReader reader = root_.At(key);
    return OneFormula(reader);
  }

  Formula OneFormula(JsonReader& reader) {
    const std::string text =
        reader.Raw().is_number_integer() ? std::to_string(reader.Integer()) : reader.String();
    auto formula = Formula::Parse(text, problem_.sizes);
    if (formula) return *formula;
    reader.Fail(formula.error().message);
    return {};
  }

  std::vector<ArraySpec> Arrays(std::string_view key, bool is_input) {
    std::vector<ArraySpec> arrays;
    if (!root_.Has(key)) return arrays;
    for (JsonReader& item : ItemsOf(root_.At(key), kMaxTensors)) {
      arrays.push_back(OneArray(item, is_input));
    }
    return arrays;
  }

  ArraySpec OneArray(JsonReader& reader, bool is_input) {
    ArraySpec array;
    array.name = reader.At("name").String();
    if (!IsIdentifier(array.name)) reader.Fail("\"name\" is not a name");
    JsonReader dtype_reader = reader.At("dtype");
    const auto dtype = DTypeNamed(dtype_reader.String());
    if (!dtype) dtype_reader.Fail(dtype.error().message);
    if (dtype) array.dtype = *dtype;
    for (JsonReader& extent : ItemsOf(reader.At("shape"), kMaxDimensions)) {
      array.shape.push_back(OneFormula(extent));
    }
    if (is_input) Values(reader, array);
    reader.RefuseOthers();
    return array;
  }

  void Values(JsonReader& reader, ArraySpec& array) {
    if (reader.Has("distributions")) {
      for (JsonReader& item : ItemsOf(reader.At("distributions"), kMaxWords)) {
        const auto named = DistributionNamed(item.String());
        if (!named) item.Fail(named.error().message);
        if (named) array.distributions.push_back(*named);
      }
    }
    if (array.distributions.empty()) {
      array.distributions =
          IsFloating(array.dtype)
              ? std::vector{Distribution::kNormal, Distribution::kUniform, Distribution::kWide,
                            Distribution::kSparse, Distribution::kShifted}
              : std::vector{Distribution::kUniform, Distribution::kSparse};
    }
    if (IsFloating(array.dtype)) return;
    array.low = reader.At("low").Integer();
    array.high = reader.At("high").Integer();
    if (array.low > array.high) reader.Fail("\"low\" is above \"high\"");
  }

  void ReadPolicy() {
    if (!root_.Has("policy")) return;
    JsonReader reader = root_.At("policy");
    Policy& policy = problem_.policy;
    if (reader.Has("threads")) policy.threads = static_cast<int>(reader.At("threads").Integer());
    if (reader.Has("libraries")) policy.libraries = reader.At("libraries").Bool();
    if (reader.Has("bitwise")) policy.is_bitwise = reader.At("bitwise").Bool();
    if (reader.Has("tf32")) policy.is_tf32 = reader.At("tf32").Bool();
    if (reader.Has("memory_mib")) policy.memory_mib = reader.At("memory_mib").Integer();
    for (const auto& [key, list] : {std::pair{"link", &policy.link}, {"flags", &policy.flags}}) {
      if (!reader.Has(key)) continue;
      for (JsonReader& item : ItemsOf(reader.At(key), kMaxWords)) list->push_back(item.String());
    }
    if (policy.threads < 1 || policy.threads > 256) reader.Fail("threads: allowed: 1 to 256");
    if (policy.memory_mib < 16 || policy.memory_mib > (1 << 20)) {
      reader.Fail("memory_mib: allowed: 16 to 1048576");
    }
    reader.RefuseOthers();
  }

  void ReadTraps() {
    if (!root_.Has("traps")) return;
    for (JsonReader& item : ItemsOf(root_.At("traps"), kMaxTraps)) {
      problem_.traps.push_back(item.String());
    }
  }

  void ReadTolerance() {
    if (!root_.Has("tolerance")) return;
    JsonReader reader = root_.At("tolerance");
    if (reader.Has("rtol")) problem_.rtol = reader.At("rtol").Number();
    if (reader.Has("atol")) problem_.atol = reader.At("atol").Number();
    if (problem_.rtol.value_or(0) < 0 || problem_.atol.value_or(0) < 0) {
      reader.Fail("a tolerance is not negative");
    }
    reader.RefuseOthers();
  }

  void Cases() {
    problem_.input_source = problem_.inputs.empty() ? InputSource::kReference : InputSource::kJudge;
    if (!root_.Has("cases")) return;
    if (problem_.workflow == "kernel_simple") problem_.input_source = InputSource::kCases;
    std::size_t number = 0;
    for (JsonReader& item : ItemsOf(root_.At("cases"), kMaxCases)) {
      problem_.cases.push_back(OneCase(item, ++number));
    }
  }

  FixedCase OneCase(JsonReader& reader, std::size_t number) {
    FixedCase one;
    one.name = reader.Has("name") ? reader.At("name").String() : fmt::format("case {}", number);
    if (reader.Has("sizes")) {
      JsonReader sizes = reader.At("sizes");
      one.sizes = OneShape(sizes);
    }
    const auto is_given = [&](const std::string& size) { return one.sizes.contains(size); };
    if (!std::ranges::all_of(problem_.sizes, is_given)) {
      reader.Fail(fmt::format("expected \"sizes\" with: {}", fmt::join(problem_.sizes, ", ")));
      return one;
    }
    CheckShape(one.sizes);  // Its numbers are counted by it.
    if (!fault_.empty()) return one;
    JsonReader inputs = reader.At("inputs");
    one.inputs = CaseTensors(inputs, problem_.inputs, one.sizes);
    if (reader.Has("outputs")) {
      JsonReader outputs = reader.At("outputs");
      one.outputs = CaseTensors(outputs, problem_.outputs, one.sizes);
    }
    if (reader.Has("rtol")) one.rtol = reader.At("rtol").Number();
    if (reader.Has("atol")) one.atol = reader.At("atol").Number();
    reader.RefuseOthers();
    return one;
  }

  static Tensors CaseTensors(JsonReader& reader, const std::vector<ArraySpec>& declared,
                             const Sizes& sizes) {
    Tensors tensors;
    for (JsonReader& item : ItemsOf(reader, kMaxTensors)) {
      const std::size_t at = tensors.size();
      if (!declared.empty() && at >= declared.size()) {
        item.Fail(fmt::format("one too many: {} are declared", declared.size()));
        break;
      }
      const TensorSpec spec = declared.empty() ? TensorSpec{} : declared[at].At(sizes);
      auto tensor = ReadTensor(item.Raw(), "array", declared.empty() ? nullptr : &spec);
      if (!tensor) item.Fail(tensor.error().message);
      if (!tensor) break;
      tensors.push_back(std::move(*tensor));
    }
    if (!declared.empty() && tensors.size() < declared.size()) {
      reader.Fail(fmt::format("found {} arrays, {} are declared", tensors.size(), declared.size()));
    }
    return tensors;
  }

  Result<void> CheckWhole() {
    if (problem_.backend == "cpp") CheckCpp();
    const bool can_make = problem_.backend == "torch" && !problem_.reference.empty();
    if (problem_.workflow == "kernel_simple" && problem_.cases.empty() && !can_make) {
      Fail(
          "cases: missing; kernel_simple compares with them (torch: or a reference with "
          "get_cases)");
    }
    CheckNames();
    for (std::size_t i = 0; i < problem_.shapes.size() && fault_.empty(); ++i) {
      CheckShape(problem_.shapes[i]);
    }
    if (!fault_.empty()) return Error{Errc::kInvalidArgument, what_ + ": " + fault_};
    return {};
  }

  void CheckCpp() {
    if (problem_.outputs.empty()) return Fail("outputs: missing; what does the kernel compute?");
    if (problem_.inputs.empty()) return Fail("inputs: missing; what does the kernel read?");
    if (problem_.shapes.empty() && problem_.cases.empty()) {
      return Fail("shapes: missing; give at least one value for each of \"sizes\"");
    }
    if (problem_.inputs.size() + problem_.outputs.size() + problem_.sizes.size() > 24) {
      Fail("inputs, outputs and sizes: more than 24 parameters");
    }
  }

  void CheckNames() {
    std::set<std::string> seen;
    const auto see = [&](const std::string& name) {
      if (!seen.insert(name).second) Fail(fmt::format("{}: two parameters of this name", name));
    };
    for (const ArraySpec& array : problem_.inputs) see(array.name);
    for (const ArraySpec& array : problem_.outputs) see(array.name);
    for (const std::string& size : problem_.sizes) see(size);
  }

  void CheckShape(const Sizes& sizes) {
    std::int64_t together = 0;
    for (const auto* arrays : {&problem_.inputs, &problem_.outputs}) {
      for (const ArraySpec& array : *arrays) {
        std::int64_t bytes = static_cast<std::int64_t>(SizeOf(array.dtype));
        for (const Formula& extent : array.shape) {
          const std::int64_t value = extent.At(sizes);
          if (value < 1 || value > kMaxExtent) {
            return Fail(fmt::format("{}: an extent of {} ({})", array.name, value, extent.text()));
          }
          if (__builtin_mul_overflow(bytes, value, &bytes) || bytes > kMaxBytes) {
            return Fail(fmt::format("{}: more than {} MiB", array.name, kMaxBytes >> 20));
          }
        }
        together += bytes;
        if (together > kMaxBytes) {
          return Fail(
              fmt::format("the arrays of one call, up to {}, have more than {} MiB together",
                          array.name, kMaxBytes >> 20));
        }
      }
    }
  }

  std::string what_;
  JsonReader root_;
  const ReadReference& read_;
  Problem problem_;
  std::string fault_;
};

void Flatten(const Json& json, std::vector<const Json*>& leaves, Shape& shape, std::size_t depth) {
  if (!json.is_array()) return leaves.push_back(&json);
  if (shape.size() == depth) shape.push_back(static_cast<std::int64_t>(json.size()));
  for (const Json& item : json) Flatten(item, leaves, shape, depth + 1);
}

// Whether there are so many elements: a nesting may say more than 64 bits hold.
bool IsCount(const Shape& shape, std::size_t elements) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (__builtin_mul_overflow(count, extent, &count)) return false;
  }
  return static_cast<std::size_t>(count) == elements;
}

}  // namespace

Result<Problem> ReadProblem(const Json& json, const std::string& what, const ReadReference& read) {
  return ProblemReader(json, what, read).Read();
}

Result<Tensor> ReadTensor(const Json& json, const std::string& what, const TensorSpec* declared) {
  std::vector<const Json*> leaves;
  Shape shape;
  Flatten(json, leaves, shape, 0);
  const bool is_whole =
      std::ranges::all_of(leaves, [](const Json* leaf) { return leaf->is_number_integer(); });
  TensorSpec spec = declared != nullptr
                        ? *declared
                        : TensorSpec{what, is_whole ? DType::kI64 : DType::kF32, shape};
  if (shape.size() > kMaxDimensions) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: more than {} dimensions", what, kMaxDimensions)};
  }
  if (!IsCount(spec.shape, leaves.size())) {
    return Error{Errc::kInvalidArgument, fmt::format("{}: {} numbers do not fill {}", what,
                                                     leaves.size(), ToText(spec.shape))};
  }
  Tensor tensor = Tensor::Zeros(std::move(spec));
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (!leaves[i]->is_number() && !leaves[i]->is_boolean()) {
      return Error{Errc::kInvalidArgument, fmt::format("{}: element {} is not a number", what, i)};
    }
    if (tensor.spec.dtype == DType::kI64 && leaves[i]->is_number_integer()) {
      tensor.As<std::int64_t>()[i] = leaves[i]->get<std::int64_t>();
    } else {
      const double value = leaves[i]->is_boolean() ? static_cast<double>(leaves[i]->get<bool>())
                                                   : leaves[i]->get<double>();
      SetElement(tensor, static_cast<std::int64_t>(i), value);
    }
  }
  return tensor;
}

}  // namespace hone::compute

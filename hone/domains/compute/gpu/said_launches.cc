// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/gpu/said_launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <optional>
#include <utility>

namespace hone::compute {
namespace {

constexpr std::string_view kMark = "// hone:";
constexpr std::size_t kMaxScratch = 16;
constexpr std::size_t kMaxSaidLaunches = 16;
constexpr std::uint32_t kArgumentBytes = 8;
constexpr std::uint64_t kScratchAlignment = 256;
constexpr std::int64_t kMaxSaidScratchBytes = std::int64_t{1} << 36;

bool IsNamePart(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return "";
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

// Takes a name from the front; empty if there is none.
std::string TakeName(std::string_view& text) {
  text = Trimmed(text);
  const auto end = std::ranges::find_if_not(text, IsNamePart);
  std::string name(text.begin(), end);
  text.remove_prefix(name.size());
  return name;
}

// The parts between commas that stand in no parentheses.
std::vector<std::string_view> PartsOf(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const bool is_end = i == text.size();
    if (!is_end && text[i] == '(') ++depth;
    if (!is_end && text[i] == ')') --depth;
    if (!is_end && (text[i] != ',' || depth > 0)) continue;
    parts.push_back(Trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  return parts;
}

}  // namespace

class SaidLaunchesParser {
 public:
  explicit SaidLaunchesParser(const Problem& problem) : problem_(problem) {}

  Result<SaidLaunches> Parse(std::string_view source) {
    int number = 0;
    while (!source.empty()) {
      ++number;
      const std::size_t end = std::min(source.find('\n'), source.size());
      const std::string_view line = Trimmed(source.substr(0, end));
      source.remove_prefix(std::min(end + 1, source.size()));
      if (!line.starts_with(kMark)) continue;
      if (auto read = ReadLine(line.substr(kMark.size())); !read) {
        return Error{read.error().code, fmt::format("line {}: {}", number, read.error().message)};
      }
    }
    if (plan_.launches_.empty()) {
      return Wrong(
          "the source launches nothing; say how, in a comment: "
          "// hone: launch KERNEL grid(BLOCKS) block(THREADS) args(ARRAYS AND SIZES)");
    }
    return std::move(plan_);
  }

 private:
  using Groups = std::vector<std::pair<std::string, std::string_view>>;

  static Error Wrong(std::string message) { return {Errc::kInvalidArgument, std::move(message)}; }

  Result<void> ReadLine(std::string_view text) {
    const std::string verb = TakeName(text);
    if (verb != "launch" && verb != "scratch") {
      return Wrong(fmt::format("\"{}\" is neither launch nor scratch", verb));
    }
    const std::string name = TakeName(text);
    if (name.empty()) return Wrong(verb + " needs a name");
    auto groups = ReadGroups(text);
    if (!groups) return groups.error();
    return verb == "launch" ? ReadLaunch(name, *groups) : ReadScratch(name, *groups);
  }

  // "grid(n / 2) block(256)"
  static Result<Groups> ReadGroups(std::string_view text) {
    Groups groups;
    for (text = Trimmed(text); !text.empty(); text = Trimmed(text)) {
      const std::string name = TakeName(text);
      text = Trimmed(text);
      if (name.empty() || !text.starts_with('(')) {
        return Wrong(fmt::format("expected NAME(…) at \"{}\"", text.substr(0, 20)));
      }
      int depth = 0;
      std::size_t end = 0;
      for (; end < text.size(); ++end) {
        if (text[end] == '(') ++depth;
        if (text[end] == ')' && --depth == 0) break;
      }
      if (end == text.size()) return Wrong(name + "( is not closed");
      groups.emplace_back(name, text.substr(1, end - 1));
      text.remove_prefix(end + 1);
    }
    return groups;
  }

  Result<void> ReadScratch(const std::string& name, const Groups& groups) {
    if (groups.size() != 1 || groups[0].first != "bytes") {
      return Wrong("scratch needs bytes(…) and nothing else");
    }
    if (plan_.scratch_.size() == kMaxScratch) {
      return Wrong(fmt::format("more than {} arrays of scratch", kMaxScratch));
    }
    if (IsTaken(name)) return Wrong(name + " is the name of something else");
    auto bytes = Formula::Parse(groups[0].second, problem_.sizes);
    if (!bytes) return bytes.error();
    plan_.scratch_.push_back({name, std::move(*bytes)});
    return {};
  }

  Result<void> ReadLaunch(const std::string& name, const Groups& groups) {
    if (plan_.launches_.size() == kMaxSaidLaunches) {
      return Wrong(fmt::format("more than {} launches", kMaxSaidLaunches));
    }
    SaidLaunches::PlannedLaunch launch;
    auto function = FunctionNamed(name);
    if (!function) return function.error();
    launch.function = *function;
    for (const auto& [group, text] : groups) {
      if (auto read = ReadGroup(group, text, launch); !read) return read;
    }
    if (launch.grid.empty()) return Wrong("launch needs grid(…)");
    if (launch.block.empty()) return Wrong("launch needs block(…)");
    plan_.launches_.push_back(std::move(launch));
    return {};
  }

  Result<void> ReadGroup(const std::string& group, std::string_view text,
                         SaidLaunches::PlannedLaunch& launch) {
    if (group == "grid") return ReadExtent(text, launch.grid);
    if (group == "block") return ReadExtent(text, launch.block);
    if (group == "args") return ReadArguments(text, launch.arguments);
    if (group != "shared") {
      return Wrong(fmt::format("{}(…): there are grid, block, shared and args", group));
    }
    auto bytes = Formula::Parse(text, problem_.sizes);
    if (!bytes) return bytes.error();
    launch.shared = std::move(*bytes);
    return {};
  }

  Result<void> ReadExtent(std::string_view text, std::vector<Formula>& extent) {
    const auto parts = PartsOf(text);
    if (parts.size() > 3) return Wrong("a grid or block has at most three dimensions");
    for (const std::string_view part : parts) {
      auto formula = Formula::Parse(part, problem_.sizes);
      if (!formula) return formula.error();
      extent.push_back(std::move(*formula));
    }
    return {};
  }

  Result<void> ReadArguments(std::string_view text,
                             std::vector<SaidLaunches::Argument>& arguments) {
    if (Trimmed(text).empty()) return {};
    for (const std::string_view part : PartsOf(text)) {
      if (arguments.size() == kMaxArguments) {
        return Wrong(fmt::format("more than {} arguments", kMaxArguments));
      }
      auto argument = ReadArgument(part);
      if (!argument) return argument.error();
      arguments.push_back(std::move(*argument));
    }
    return {};
  }

  Result<SaidLaunches::Argument> ReadArgument(std::string_view text) {
    SaidLaunches::Argument argument;
    const auto is_named = [&](const auto& thing) { return thing.name == text; };
    const auto& [inputs, outputs] = std::tie(problem_.inputs, problem_.outputs);
    if (const auto found = std::ranges::find_if(inputs, is_named); found != inputs.end()) {
      argument.kind = SaidLaunches::Argument::Kind::kInput;
      argument.which = static_cast<std::size_t>(found - inputs.begin());
      return argument;
    }
    if (const auto found = std::ranges::find_if(outputs, is_named); found != outputs.end()) {
      argument.kind = SaidLaunches::Argument::Kind::kOutput;
      argument.which = inputs.size() + static_cast<std::size_t>(found - outputs.begin());
      return argument;
    }
    const auto& scratch = plan_.scratch_;
    if (const auto found = std::ranges::find_if(scratch, is_named); found != scratch.end()) {
      argument.kind = SaidLaunches::Argument::Kind::kScratch;
      argument.which = static_cast<std::size_t>(found - scratch.begin());
      return argument;
    }
    if (std::string_view rest = text; TakeName(rest) == "int" && !Trimmed(rest).empty()) {
      text = Trimmed(rest);
    }
    auto value = Formula::Parse(text, problem_.sizes);
    if (!value) {
      return Wrong(
          fmt::format("argument \"{}\" is no array, no scratch and no arithmetic over the "
                      "sizes: {}",
                      text, value.error().message));
    }
    argument.value = std::move(*value);
    return argument;
  }

  Result<std::uint32_t> FunctionNamed(const std::string& name) {
    auto& all = plan_.functions_;
    const auto found = std::ranges::find(all, name);
    if (found != all.end()) return static_cast<std::uint32_t>(found - all.begin());
    if (all.size() == kMaxFunctions || name.size() >= kMaxFunctionName) {
      return Wrong(fmt::format("more than {} kernels, or a name of {} characters", kMaxFunctions,
                               kMaxFunctionName));
    }
    all.push_back(name);
    return static_cast<std::uint32_t>(all.size() - 1);
  }

  bool IsTaken(const std::string& name) const {
    const auto is_named = [&](const auto& thing) { return thing.name == name; };
    return std::ranges::any_of(problem_.inputs, is_named) ||
           std::ranges::any_of(problem_.outputs, is_named) ||
           std::ranges::any_of(plan_.scratch_, is_named) ||
           std::ranges::find(problem_.sizes, name) != problem_.sizes.end();
  }

  const Problem& problem_;
  SaidLaunches plan_;
};

namespace {

// 1 where nothing is said.
std::array<std::int64_t, 3> ExtentAt(const std::vector<Formula>& extent, const Sizes& sizes) {
  std::array<std::int64_t, 3> numbers{1, 1, 1};
  for (std::size_t i = 0; i < extent.size(); ++i) numbers.at(i) = extent[i].At(sizes);
  return numbers;
}

}  // namespace

bool SaysLaunches(std::string_view source) {
  for (std::size_t at = source.find(kMark); at != std::string_view::npos;
       at = source.find(kMark, at + 1)) {
    const std::size_t line = source.substr(0, at).rfind('\n') + 1;
    if (Trimmed(source.substr(line, at - line)).empty()) return true;
  }
  return false;
}

Result<SaidLaunches> SaidLaunches::Parse(std::string_view source, const Problem& problem) {
  return SaidLaunchesParser(problem).Parse(source);
}

std::uint64_t SaidLaunches::ScratchOffset(const Sizes& sizes, std::size_t which) const {
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < which; ++i) {
    const auto bytes = static_cast<std::uint64_t>(
        std::clamp<std::int64_t>(scratch_[i].bytes.At(sizes), 0, kMaxSaidScratchBytes));
    offset += (bytes + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment;
  }
  return offset;
}

std::uint64_t SaidLaunches::ScratchBytes(const Sizes& sizes) const {
  return ScratchOffset(sizes, scratch_.size());
}

void SaidLaunches::FillArgument(const Sizes& sizes, const Argument& argument, Step& step) const {
  const std::uint32_t at = step.arguments * kArgumentBytes;
  step.argument[step.arguments++] = at;
  step.count = at + kArgumentBytes;
  if (argument.kind == Argument::Kind::kNumber) {
    const std::int64_t value = argument.value.At(sizes);  // Of 32 bits: its lower half comes first.
    std::memcpy(step.bytes + at, &value, sizeof(value));
    return;
  }
  StepAddress& address = step.address[step.addresses++];
  address.at = at;
  address.which = static_cast<std::uint32_t>(argument.which);
  address.kind = argument.kind == Argument::Kind::kInput    ? kAddressInput
                 : argument.kind == Argument::Kind::kOutput ? kAddressOutput
                                                            : kAddressScratch;
  if (argument.kind != Argument::Kind::kScratch) return;
  address.which = 0;
  address.offset = static_cast<std::int64_t>(ScratchOffset(sizes, argument.which));
}

Result<void> SaidLaunches::Fill(const Sizes& sizes, LaunchBlock& block) const {
  block.steps = static_cast<std::uint32_t>(launches_.size());
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    const PlannedLaunch& planned = launches_[i];
    Step& step = block.step[i];
    step = {};
    step.kind = kStepLaunch;
    step.function = planned.function;
    const auto grid = ExtentAt(planned.grid, sizes);
    const auto threads = ExtentAt(planned.block, sizes);
    const std::int64_t shared = planned.shared.At(sizes);
    if (auto fits = CheckGeometry(grid, threads, shared); !fits) return fits;
    for (std::size_t k = 0; k < 3; ++k) {
      step.grid[k] = static_cast<std::uint32_t>(grid[k]);
      step.block[k] = static_cast<std::uint32_t>(threads[k]);
    }
    step.shared_bytes = static_cast<std::uint32_t>(shared);
    for (const Argument& argument : planned.arguments) FillArgument(sizes, argument, step);
  }
  return {};
}

}  // namespace hone::compute

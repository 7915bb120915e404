// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/gpu/launch_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

namespace hone::compute {
namespace {

constexpr std::string_view kMark = "// hone:";
constexpr std::size_t kMaxScratch = 16;
constexpr std::uint64_t kScratchAlignment = 256;
constexpr std::int64_t kMostScratchBytes = std::int64_t{1} << 36;

// What every GPU since 2014 can launch.
constexpr std::array<std::int64_t, 3> kMostBlocks{0x7fffffff, 65535, 65535};
constexpr std::array<std::int64_t, 3> kMostThreads{1024, 1024, 64};
constexpr std::int64_t kMostThreadsOfBlock = 1024;
constexpr std::int64_t kMostSharedBytes = 256 << 10;

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

class LaunchPlanParser {
 public:
  explicit LaunchPlanParser(const Problem& problem) : problem_(problem) {}

  Result<LaunchPlan> Parse(std::string_view source) {
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
    if (plan_.launches_.size() == kMaxLaunches) {
      return Wrong(fmt::format("more than {} launches", kMaxLaunches));
    }
    LaunchPlan::PlannedLaunch launch;
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
                         LaunchPlan::PlannedLaunch& launch) {
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

  Result<void> ReadArguments(std::string_view text, std::vector<LaunchPlan::Argument>& arguments) {
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

  Result<LaunchPlan::Argument> ReadArgument(std::string_view text) {
    LaunchPlan::Argument argument;
    const auto is_named = [&](const auto& thing) { return thing.name == text; };
    const auto& [inputs, outputs] = std::tie(problem_.inputs, problem_.outputs);
    if (const auto found = std::ranges::find_if(inputs, is_named); found != inputs.end()) {
      argument.kind = kArgumentInput;
      argument.which = static_cast<std::size_t>(found - inputs.begin());
      return argument;
    }
    if (const auto found = std::ranges::find_if(outputs, is_named); found != outputs.end()) {
      argument.kind = kArgumentOutput;
      argument.which = inputs.size() + static_cast<std::size_t>(found - outputs.begin());
      return argument;
    }
    const auto& scratch = plan_.scratch_;
    if (const auto found = std::ranges::find_if(scratch, is_named); found != scratch.end()) {
      argument.kind = kArgumentScratch;
      argument.which = static_cast<std::size_t>(found - scratch.begin());
      return argument;
    }
    if (std::string_view rest = text; TakeName(rest) == "int" && !Trimmed(rest).empty()) {
      argument.kind = kArgumentInt;
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
  LaunchPlan plan_;
};

namespace {

// The numbers of a grid or block, 1 where none is given. None may be 0 or above its limit.
Result<void> FillExtent(const char* what, const std::vector<Formula>& extent, const Sizes& sizes,
                        const std::array<std::int64_t, 3>& most, std::uint32_t (&numbers)[3]) {
  for (std::size_t i = 0; i < 3; ++i) {
    const std::int64_t number = i < extent.size() ? extent[i].At(sizes) : 1;
    if (number < 1 || number > most[i]) {
      return Error{Errc::kInvalidArgument,
                   fmt::format("{} of {} in dimension {} ({}): it must be 1 to {}", what, number, i,
                               i < extent.size() ? extent[i].text() : "1", most[i])};
    }
    numbers[i] = static_cast<std::uint32_t>(number);
  }
  return {};
}

}  // namespace

Result<LaunchPlan> LaunchPlan::Parse(std::string_view source, const Problem& problem) {
  return LaunchPlanParser(problem).Parse(source);
}

std::uint64_t LaunchPlan::ScratchOffset(const Sizes& sizes, std::size_t which) const {
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < which; ++i) {
    const auto bytes = static_cast<std::uint64_t>(
        std::clamp<std::int64_t>(scratch_[i].bytes.At(sizes), 0, kMostScratchBytes));
    offset += (bytes + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment;
  }
  return offset;
}

std::uint64_t LaunchPlan::ScratchBytes(const Sizes& sizes) const {
  return ScratchOffset(sizes, scratch_.size());
}

Result<void> LaunchPlan::Fill(const Sizes& sizes, LaunchBlock& block) const {
  block.launches = static_cast<std::uint32_t>(launches_.size());
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    const PlannedLaunch& planned = launches_[i];
    Launch& launch = block.launch[i];
    launch = {};
    launch.function = planned.function;
    if (auto fits = FillExtent("a grid", planned.grid, sizes, kMostBlocks, launch.grid); !fits) {
      return fits;
    }
    if (auto fits = FillExtent("a block", planned.block, sizes, kMostThreads, launch.block);
        !fits) {
      return fits;
    }
    const std::int64_t threads = std::int64_t{launch.block[0]} * launch.block[1] * launch.block[2];
    const std::int64_t shared = planned.shared.At(sizes);
    if (threads > kMostThreadsOfBlock || shared < 0 || shared > kMostSharedBytes) {
      return Error{Errc::kInvalidArgument,
                   fmt::format("a block of {} threads with {} bytes of shared memory: at most {} "
                               "and {}",
                               threads, shared, kMostThreadsOfBlock, kMostSharedBytes)};
    }
    launch.shared_bytes = static_cast<std::uint32_t>(shared);
    launch.arguments = static_cast<std::uint32_t>(planned.arguments.size());
    for (std::size_t k = 0; k < planned.arguments.size(); ++k) {
      const Argument& argument = planned.arguments[k];
      std::int64_t value = static_cast<std::int64_t>(argument.which);
      if (argument.kind == kArgumentScratch) {
        value = static_cast<std::int64_t>(ScratchOffset(sizes, argument.which));
      } else if (argument.kind == kArgumentLong || argument.kind == kArgumentInt) {
        value = argument.value.At(sizes);
      }
      launch.argument[k] = {argument.kind, 0, value};
    }
  }
  return {};
}

}  // namespace hone::compute

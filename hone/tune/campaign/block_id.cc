// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/block_id.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace hone::tune {
namespace {

// How the id of a phase is written: its name, and which of the numbers follow.
struct BlockForm {
  BlockPhase phase;
  std::string_view name;
  bool has_number;
  bool has_round;
};

constexpr std::array<BlockForm, 8> kBlockForms{{
    {BlockPhase::kGate, "gate", false, false},
    {BlockPhase::kTrial, "trial", true, true},
    {BlockPhase::kFinals, "finals", true, false},
    {BlockPhase::kProof, "proof", false, true},
    {BlockPhase::kAblation, "ablation", true, true},
    {BlockPhase::kProofReduced, "proof-reduced", false, true},
    {BlockPhase::kFront, "front", true, true},
    {BlockPhase::kCheck, "check", true, true},
}};

const BlockForm& FormOf(BlockPhase phase) {
  for (const BlockForm& form : kBlockForms) {
    if (form.phase == phase) return form;
  }
  return kBlockForms.front();
}

// A number of digits only, all of `text`.
std::optional<std::int64_t> ReadDigits(std::string_view text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data(), end, number);
  if (fault != std::errc() || rest != end || number < 0) return std::nullopt;
  return number;
}

// Takes "/7" off the front of `text`.
std::optional<std::int64_t> TakeNumber(std::string_view& text) {
  if (text.empty() || text.front() != '/') return std::nullopt;
  const std::size_t end = std::min(text.find('/', 1), text.size());
  const auto number = ReadDigits(text.substr(1, end - 1));
  text.remove_prefix(end);
  return number;
}

}  // namespace

std::string_view NameOf(BlockPhase phase) { return FormOf(phase).name; }

std::optional<std::int64_t> BlockId::Trial() const {
  if (phase != BlockPhase::kTrial && phase != BlockPhase::kFinals) return std::nullopt;
  return number;
}

std::string ToText(const BlockId& id) {
  const BlockForm& form = FormOf(id.phase);
  std::string text(form.name);
  if (form.has_number) text += fmt::format("/{}", id.number);
  if (form.has_round) text += fmt::format("/{}", id.round);
  return text;
}

Result<BlockId> ParseBlockId(std::string_view text) {
  const Error fault{Errc::kCorrupt,
                    fmt::format("\"{}\": not the name of a comparison, such as \"trial/7/0\"",
                                text.substr(0, 80))};
  const std::string_view name = text.substr(0, text.find('/'));
  std::string_view rest = text.substr(name.size());
  for (const BlockForm& form : kBlockForms) {
    if (form.name != name) continue;
    const auto number = form.has_number ? TakeNumber(rest) : 0;
    const auto round = form.has_round ? TakeNumber(rest) : 0;
    if (!number || !round || !rest.empty()) return fault;
    return BlockId{form.phase, *number, *round};
  }
  return fault;
}

TaskId TaskIdOf(const std::string& campaign, const BlockId& block) {
  return campaign + "/" + ToText(block);
}

TaskId InLife(const TaskId& first, int life) {
  return life == 0 ? first : fmt::format("{}~{}", first, life);
}

TaskLife LifeOf(const TaskId& task) {
  const auto mark = task.rfind('~');
  if (mark == TaskId::npos) return {task, 0};
  const auto life = ReadDigits(std::string_view(task).substr(mark + 1));
  return {task.substr(0, mark), static_cast<int>(life.value_or(0))};
}

}  // namespace hone::tune

// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/program/program_flags.h"

#include <fmt/format.h>

#include <charconv>
#include <map>

namespace hone::llm {
namespace {

Result<std::int64_t> CountIn(const std::string& flag, const std::string& text, std::int64_t min) {
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size() || number < min) {
    return Error{
        Errc::kInvalidArgument,
        fmt::format("{}: expected a number of at least {}, found \"{}\"", flag, min, text)};
  }
  return number;
}

Result<void> SetWord(ProgramFlags& flags, const std::string& flag, const std::string& value) {
  if (flag == "--device" && (value == "cuda" || value == "cpu")) {
    flags.is_on_gpu = value == "cuda";
  } else if (flag == "--type" && (value == "bf16" || value == "f32")) {
    flags.type = value == "bf16" ? DataType::kBF16 : DataType::kF32;
  } else if (flag == "--adapter") {
    flags.adapter = value;
  } else if (flag == "--base") {
    flags.base = value;
  } else if (flag == "--shape") {
    flags.shape = value;
  } else {
    return Error{Errc::kInvalidArgument, fmt::format("{} {}: not known", flag, value)};
  }
  return {};
}

}  // namespace

Placement ProgramFlags::placement() const {
  Placement placement;
  placement.is_on_gpu = is_on_gpu.value_or(HasGpu());
  placement.type = type.value_or(placement.is_on_gpu ? DataType::kBF16 : DataType::kF32);
  return placement;
}

Result<ProgramFlags> ReadProgramFlags(std::span<const std::string> words) {
  ProgramFlags flags;
  flags.decoder.vocab_size = 0;
  flags.decoder.steps_per_read = 0;  // Chosen by the device.
  const std::map<std::string, std::pair<std::int64_t*, std::int64_t>> numbers = {
      {"--rows", {&flags.decoder.rows, 1}},
      {"--length", {&flags.decoder.max_length, 2}},
      {"--steps", {&flags.decoder.steps_per_read, 1}},
      {"--vocab", {&flags.decoder.vocab_size, 1}},
      {"--threads", {&flags.threads, 1}},
      {"--batch", {&flags.batch, 1}},
      {"--prompt", {&flags.prompt, 1}},
      {"--tokens", {&flags.tokens, 1}}};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (!word.starts_with("--")) {
      flags.folders.emplace_back(word);
      continue;
    }
    if (word == "--no-graphs") {
      flags.decoder.uses_graphs = false;
      continue;
    }
    if (i + 1 == words.size()) {
      return Error{Errc::kInvalidArgument, word + ": a value is missing"};
    }
    const std::string& value = words[++i];
    const auto number = numbers.find(word);
    if (number == numbers.end()) {
      if (auto set = SetWord(flags, word, value); !set) return set.error();
      continue;
    }
    const auto count = CountIn(word, value, number->second.second);
    if (!count) return count.error();
    *number->second.first = *count;
  }
  if (flags.decoder.steps_per_read == 0) {
    flags.decoder.steps_per_read = flags.placement().is_on_gpu ? 8 : 1;
  }
  return flags;
}

}  // namespace hone::llm

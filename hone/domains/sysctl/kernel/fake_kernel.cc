// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/kernel/fake_kernel.h"

#include <fnmatch.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <utility>

#include "hone/core/check.h"
#include "hone/domains/sysctl/kernel/kernel_text.h"
#include "hone/domains/sysctl/kernel/parameter_path.h"

namespace hone::sysctl {
namespace {

Result<std::int64_t> IntegerOf(const std::string& path, const std::string& text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, number);
  if (fault != std::errc{} || stop != end) return WriteError(path, text, EINVAL);
  return number;
}

}  // namespace

Result<FakeKernel::Parameter*> FakeKernel::Find(const std::string& path) {
  const auto found = parameters_.find(Resolved(path));
  if (found == parameters_.end()) return OpenError(path, ENOENT);
  return &found->second;
}

FakeKernel::Parameter& FakeKernel::Known(const std::string& path) {
  const auto found = parameters_.find(path);
  HONE_CHECK(found != parameters_.end());
  return found->second;
}

std::string FakeKernel::Resolved(const std::string& path) {
  std::string plain = std::filesystem::path(path).lexically_normal();
  if (plain.ends_with('/')) plain.pop_back();
  for (const auto& [folder, target] : links_) {
    if (plain.starts_with(folder + "/")) return target + plain.substr(folder.size());
  }
  return plain;
}

void FakeKernel::Link(const std::string& folder, const std::string& target) {
  links_[folder] = target;
}

Result<std::string> FakeKernel::Read(const std::string& path) {
  auto raw = ReadRaw(path);
  if (!raw) return raw;
  return ChosenText(path, *raw);
}

Result<std::string> FakeKernel::ReadRaw(const std::string& path) {
  if (before_read_) before_read_(path);
  const auto found = Find(path);
  if (!found) return found.error();
  const Parameter& parameter = **found;
  if (!parameter.is_readable) return ReadError(path, EACCES);
  if (parameter.choices.empty()) return CleanText(parameter.text);
  std::string shown;
  for (const std::string& choice : parameter.choices) {
    if (!shown.empty()) shown += ' ';
    shown += choice == parameter.text ? "[" + choice + "]" : choice;
  }
  return shown;
}

Result<void> FakeKernel::Write(const std::string& path, const std::string& text) {
  if (const auto one = ParameterPath::Of(path); !one) return one.error();
  if (before_write_) before_write_(path);
  const auto found = Find(path);
  if (!found) return found.error();
  Parameter& parameter = **found;
  if (!parameter.is_writable) return OpenError(path, EACCES);
  std::string in_force = text;
  for (const Rule& rule : parameter.rules) {
    auto made = rule(in_force);
    if (!made) return made.error();
    in_force = std::move(*made);
  }
  parameter.text = in_force;
  writes_.push_back({path, text});
  for (const auto& effect : parameter.effects) effect(in_force);
  return {};
}

Result<std::vector<std::string>> FakeKernel::Match(const std::string& pattern) {
  std::vector<std::string> paths;
  const auto add = [&](const std::string& path) {
    if (::fnmatch(pattern.c_str(), path.c_str(), FNM_PATHNAME) == 0) paths.push_back(path);
  };
  for (const auto& [path, parameter] : parameters_) {
    add(path);
    for (const auto& [folder, target] : links_) {
      if (path.starts_with(target + "/")) add(folder + path.substr(target.size()));
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

Result<std::vector<std::string>> FakeKernel::FilesBelow(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& [path, parameter] : parameters_) {
    if (path.starts_with(folder + "/")) paths.push_back(path);
  }
  if (paths.empty()) return OpenError(folder, ENOENT);
  return paths;
}

bool FakeKernel::IsWritable(const std::string& path) {
  const auto found = parameters_.find(Resolved(path));
  return found != parameters_.end() && found->second.is_writable;
}

void FakeKernel::Add(const std::string& path, const std::string& text) {
  parameters_[path] = Parameter{};
  parameters_[path].text = text;
}

void FakeKernel::AddChoice(const std::string& path, const std::vector<std::string>& choices,
                           const std::string& chosen) {
  Add(path, chosen);
  parameters_[path].choices = choices;
  AddRule(path, [path, choices](const std::string& text) -> Result<std::string> {
    const bool is_known = std::find(choices.begin(), choices.end(), text) != choices.end();
    return is_known ? Result<std::string>(text) : WriteError(path, text, EINVAL);
  });
}

void FakeKernel::Remove(const std::string& path) { parameters_.erase(path); }
void FakeKernel::MakeReadOnly(const std::string& path) { Known(path).is_writable = false; }
void FakeKernel::MakeWriteOnly(const std::string& path) { Known(path).is_readable = false; }
void FakeKernel::AddRule(const std::string& path, Rule rule) {
  Known(path).rules.push_back(std::move(rule));
}

void FakeKernel::Round(const std::string& path, std::int64_t step) {
  AddRule(path, [path, step](const std::string& text) -> Result<std::string> {
    const auto number = IntegerOf(path, text);
    if (!number) return number.error();
    return std::to_string((*number + step - 1) / step * step);
  });
}

void FakeKernel::Clamp(const std::string& path, std::int64_t low, std::int64_t high) {
  AddRule(path, [path, low, high](const std::string& text) -> Result<std::string> {
    const auto number = IntegerOf(path, text);
    if (!number) return number.error();
    return std::to_string(std::clamp(*number, low, high));
  });
}

void FakeKernel::Refuse(const std::string& path, const std::string& text) {
  AddRule(path, [path, text](const std::string& given) -> Result<std::string> {
    if (given == text) return WriteError(path, given, EINVAL);
    return given;
  });
}

void FakeKernel::Forbid(const std::string& path) {
  AddRule(path, [path](const std::string& text) -> Result<std::string> {
    return WriteError(path, text, EPERM);
  });
}

void FakeKernel::KeepBelow(const std::string& small, const std::string& large) {
  AddRule(small, [this, small, large](const std::string& text) -> Result<std::string> {
    if (std::stoll(text) >= std::stoll(Known(large).text)) return WriteError(small, text, EINVAL);
    return text;
  });
  AddRule(large, [this, small, large](const std::string& text) -> Result<std::string> {
    if (std::stoll(text) <= std::stoll(Known(small).text)) return WriteError(large, text, EINVAL);
    return text;
  });
}

void FakeKernel::Couple(const std::string& one, const std::string& other) {
  for (const auto& [path, twin] : {std::pair(one, other), std::pair(other, one)}) {
    Refuse(path, "0");
    const std::string second = twin;
    AfterWrite(path, [this, second](const std::string&) { Known(second).text = "0"; });
  }
}

void FakeKernel::AfterWrite(const std::string& path,
                            std::function<void(const std::string& text)> effect) {
  Known(path).effects.push_back(std::move(effect));
}

void FakeKernel::BeforeWrite(std::function<void(const std::string& path)> hook) {
  before_write_ = std::move(hook);
}

void FakeKernel::BeforeRead(std::function<void(const std::string&)> hook) {
  before_read_ = std::move(hook);
}

void FakeKernel::Set(const std::string& path, const std::string& text) { Known(path).text = text; }

}  // namespace hone::sysctl

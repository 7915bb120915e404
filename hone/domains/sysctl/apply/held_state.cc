// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/apply/held_state.h"

#include <utility>

namespace hone::sysctl {

void HeldState::Intend(const std::string& path, const std::string& text) {
  const auto mark = [this](const std::string& one) {
    if (const auto found = parameters.find(one); found != parameters.end()) {
      found->second.is_pending = true;
    }
  };
  mark(path);
  if (const auto found = parameters.find(path); found != parameters.end()) {
    found->second.intended = text;
  }
  mark(TwinOf(path));
  for (const std::string& effect : EffectsOf(path)) mark(effect);
}

void HeldState::Note(const std::string& path, std::optional<std::string> text) {
  const auto found = parameters.find(path);
  if (found == parameters.end()) return;
  found->second.last = std::move(text);
  found->second.is_pending = false;
  found->second.intended.reset();
}

void HeldState::ForgetUnfinished() {
  for (auto& [path, held] : parameters) {
    if (IsFilePath(path)) continue;
    held.is_pending = false;
    if (!held.last) held.last = held.original;
  }
  for (auto& [path, file] : files) {
    if (file.folder) file.folder->device.reset();
  }
}

std::string HeldState::TwinOf(const std::string& path) const {
  for (const Couplings::Twins& twins : couplings.twins) {
    const std::string& other = path == twins.one ? twins.other : twins.one;
    if ((path == twins.one || path == twins.other) && parameters.contains(other)) return other;
  }
  return "";
}

std::vector<std::string> HeldState::EffectsOf(const std::string& path) const {
  std::vector<std::string> effects;
  for (const Couplings::Effect& effect : couplings.effects) {
    if (effect.cause == path && parameters.contains(effect.effect)) {
      effects.push_back(effect.effect);
    }
  }
  return effects;
}

}  // namespace hone::sysctl

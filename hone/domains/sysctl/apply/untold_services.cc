// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/apply/untold_services.h"

namespace hone::sysctl {

void UntoldServices::Note(const std::string& path, const std::string& fault) {
  const std::lock_guard lock(mutex_);
  if (fault.empty()) {
    faults_.erase(path);
  } else {
    faults_[path] = fault;
  }
}

std::string UntoldServices::FaultOf(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  const auto found = faults_.find(path);
  return found == faults_.end() ? "" : found->second;
}

std::vector<std::string> UntoldServices::Faults() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> texts;
  for (const auto& [path, fault] : faults_) texts.push_back(fault);
  return texts;
}

}  // namespace hone::sysctl

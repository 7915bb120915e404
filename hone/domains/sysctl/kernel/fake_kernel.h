// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/sysctl/kernel/kernel_files.h"
#include "hone/domains/sysctl/kernel/setting.h"

namespace hone::sysctl {

// A made-up kernel in memory, for tests: it rounds, clamps, refuses, couples, and lets somebody
// else write at a bad moment. Not safe for concurrent use.
class FakeKernel final : public KernelFiles {
 public:
  // What the kernel makes of a text that is written: what is then in force, or an Error.
  using Rule = std::function<Result<std::string>(const std::string& text)>;

  Result<std::string> Read(const std::string& path) override;
  Result<std::string> ReadRaw(const std::string& path) override;
  Result<void> Write(const std::string& path, const std::string& text) override;
  Result<std::vector<std::string>> Match(const std::string& pattern) override;
  Result<std::vector<std::string>> FilesBelow(const std::string& folder) override;
  bool IsWritable(const std::string& path) override;
  std::string Resolved(const std::string& path) override;

  // Making it up. A path that is added again starts anew.
  void Add(const std::string& path, const std::string& text);
  void AddChoice(const std::string& path, const std::vector<std::string>& choices,
                 const std::string& chosen);
  // What is below the target is below the folder too, as in sysfs.
  void Link(const std::string& folder, const std::string& target);
  void Remove(const std::string& path);
  void MakeReadOnly(const std::string& path);
  void MakeWriteOnly(const std::string& path);

  // How it behaves. Rules of one path run in the order in which they were given.
  void AddRule(const std::string& path, Rule rule);
  void Round(const std::string& path, std::int64_t step);  // Up to a multiple.
  void Clamp(const std::string& path, std::int64_t low, std::int64_t high);
  void Refuse(const std::string& path, const std::string& text);       // EINVAL.
  void Forbid(const std::string& path);                                // EPERM.
  void KeepBelow(const std::string& small, const std::string& large);  // Else EINVAL.
  void Couple(const std::string& one, const std::string& other);       // Twins; "0" is refused.
  void AfterWrite(const std::string& path, std::function<void(const std::string& text)> effect);

  // Somebody else: called before every write with its path; may call Set.
  void BeforeWrite(std::function<void(const std::string& path)> hook);
  void BeforeRead(std::function<void(const std::string& path)> hook);  // May call Set too.
  void Set(const std::string& path, const std::string& text);          // No rule, no record.

  // What was written and taken, in order.
  const std::vector<Setting>& writes() const { return writes_; }
  void ForgetWrites() { writes_.clear(); }

 private:
  struct Parameter {
    std::string text;
    std::vector<std::string> choices;
    std::vector<Rule> rules;
    std::vector<std::function<void(const std::string&)>> effects;
    bool is_readable = true;
    bool is_writable = true;
  };

  Result<Parameter*> Find(const std::string& path);
  Parameter& Known(const std::string& path);  // A test must have added it.

  std::map<std::string, Parameter> parameters_;
  std::map<std::string, std::string> links_;
  std::function<void(const std::string&)> before_write_;
  std::function<void(const std::string&)> before_read_;
  std::vector<Setting> writes_;
};

}  // namespace hone::sysctl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "hone/domains/sysctl/apply/held_file.h"
#include "hone/domains/sysctl/kernel/kernel_files.h"

namespace hone::sysctl {

// The kernel's parameters, and files of services beside them. A file's text is its fingerprint
// (file_image.h), so that journals, comparisons and messages stay short; what may be written to it
// is its original and what Know was told. A file is reached through its folder, which is opened
// once: a path that leads elsewhere by now is an error (kStale, kUnsupported), and so is a folder
// that is not the one of `held`.
class FilesBeside final : public KernelFiles {
 public:
  // Both outlive it. `held`: by path ("file:/etc/…").
  FilesBeside(KernelFiles& kernel, const std::map<std::string, HeldFile>& held)
      : kernel_(kernel), held_(held) {}

  Result<std::string> Read(const std::string& path) override;
  Result<std::string> ReadRaw(const std::string& path) override;
  // Of a file: replaces it, checks it and reloads the service.
  // kInvalidArgument: the check or the reload failed; the file is replaced all the same.
  Result<void> Write(const std::string& path, const std::string& text) override;
  Result<std::vector<std::string>> Match(const std::string& pattern) override;
  Result<std::vector<std::string>> FilesBelow(const std::string& folder) override;
  bool IsWritable(const std::string& path) override;
  std::string Resolved(const std::string& path) override;

  // The fingerprint of the held file with other contents, which Write then takes.
  std::string Know(const std::string& path, const std::string& bytes);

  // Works in this folder from now on.
  void Hold(const std::string& path, FilePlace place);

  // The parts of Write, for who puts things back.
  Result<void> Replace(const std::string& path, const std::string& text);
  void DropDraft(const std::string& path);
  Result<void> RunReloadOf(const std::string& path) const;

 private:
  Result<const FilePlace*> PlaceOf(const std::string& path);

  KernelFiles& kernel_;
  const std::map<std::string, HeldFile>& held_;
  std::map<std::string, FilePlace> places_;
  std::map<std::string, FileImage> known_;  // By path and fingerprint; of a path the newest.
};

}  // namespace hone::sysctl

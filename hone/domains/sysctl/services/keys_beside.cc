// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/services/keys_beside.h"

#include <fmt/format.h>

#include <utility>

namespace hone::sysctl {
namespace {

class KeysBeside final : public KernelFiles {
 public:
  KeysBeside(std::unique_ptr<KernelFiles> kernel, Services services)
      : kernel_(std::move(kernel)), services_(std::move(services)) {}

  Result<std::string> Read(const std::string& path) override {
    return IsServiceKey(path) ? ServiceTextNow(services_, path) : kernel_->Read(path);
  }
  Result<std::string> ReadRaw(const std::string& path) override {
    return IsServiceKey(path) ? ServiceTextNow(services_, path) : kernel_->ReadRaw(path);
  }
  Result<void> Write(const std::string& path, const std::string& text) override {
    if (!IsServiceKey(path)) return kernel_->Write(path, text);
    return Error{Errc::kUnsupported, fmt::format("{}: a key is written with its file", path)};
  }
  Result<std::vector<std::string>> Match(const std::string& pattern) override {
    if (!IsServiceKey(pattern)) return kernel_->Match(pattern);
    return Read(pattern) ? std::vector<std::string>{pattern} : std::vector<std::string>{};
  }
  Result<std::vector<std::string>> FilesBelow(const std::string& folder) override {
    return kernel_->FilesBelow(folder);
  }
  bool IsWritable(const std::string& path) override {
    return !IsServiceKey(path) && kernel_->IsWritable(path);
  }
  std::string Resolved(const std::string& path) override {
    return IsServiceKey(path) ? path : kernel_->Resolved(path);
  }

 private:
  std::unique_ptr<KernelFiles> kernel_;
  Services services_;
};

}  // namespace

std::unique_ptr<KernelFiles> MakeKeysBeside(std::unique_ptr<KernelFiles> kernel,
                                            Services services) {
  return std::make_unique<KeysBeside>(std::move(kernel), std::move(services));
}

}  // namespace hone::sysctl

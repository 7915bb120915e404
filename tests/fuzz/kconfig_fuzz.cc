// SPDX-License-Identifier: Apache-2.0
// libFuzzer target for the parser, the macro expander and the .config reader of hone/kconfig. The
// input is a Kconfig file; what follows its first zero byte is a .config for it.
// scripts/fuzz-kconfig builds and runs it.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "hone/kconfig/config_file.h"
#include "hone/kconfig/parser.h"

namespace hone::kconfig {
namespace {

class OneFile final : public FileReader {
 public:
  explicit OneFile(std::string_view text) : text_(text) {}
  Result<std::string_view> Read(const std::string& name) override {
    if (name == "Kconfig" || name == "a") return std::string_view(text_);
    return Error{Errc::kNotFound, name};
  }
  std::vector<std::string> Glob(const std::string&) override { return {"a"}; }

 private:
  std::string text_;
};

void Try(std::string_view tree, std::string_view config, const std::string& dialect) {
  ParseOptions options;
  options.dialect = *DialectNamed(dialect);
  options.environment = {{"ARCH", "x86"}};
  options.reader = std::make_shared<OneFile>(tree);
  options.shell = [](const std::string& command) -> Result<std::string> { return command; };
  const Parsed parsed = ParseTree(options);
  if (parsed.tree == nullptr) return;
  Configuration configuration(parsed.tree);
  LoadConfig(configuration, config, {});
  Configuration again(parsed.tree);
  LoadConfig(again, WriteConfig(configuration), {});
  WriteMinimalConfig(again);
}

}  // namespace
}  // namespace hone::kconfig

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(bytes), size);
  const std::size_t zero = input.find('\0');
  const std::string_view tree = input.substr(0, zero);
  const std::string_view config =
      zero == std::string_view::npos ? std::string_view() : input.substr(zero + 1);
  for (const char* dialect : {"linux-6.1", "linux-7.0", "kconfiglib"}) {
    hone::kconfig::Try(tree, config, dialect);
  }
  return 0;
}

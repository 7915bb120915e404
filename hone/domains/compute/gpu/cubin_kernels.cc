// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/gpu/cubin_kernels.h"

#include <cstring>
#include <map>

#include "hone/domains/compute/backends/elf_sections.h"

namespace hone::compute {
namespace {

constexpr std::string_view kAboutKernel = ".nv.info.";

// What is said about a kernel: a form, a name, and a value or how many bytes follow.
struct Saying {
  std::uint8_t form;
  std::uint8_t name;
  std::uint16_t value;
};
static_assert(sizeof(Saying) == 4);
constexpr std::uint8_t kBytesFollow = 4;
constexpr std::uint8_t kOfParameter = 0x17;

struct ParameterSaying {
  std::uint32_t index;
  std::uint16_t ordinal;
  std::uint16_t offset;
  std::uint32_t bytes_and_more;  // From bit 18 up.
};
static_assert(sizeof(ParameterSaying) == 12);
constexpr int kBytesFromBit = 18;

std::vector<std::uint32_t> ParametersIn(std::string_view about) {
  std::map<std::uint16_t, std::uint32_t> found;
  while (about.size() >= sizeof(Saying)) {
    Saying saying;
    std::memcpy(&saying, about.data(), sizeof(saying));
    about.remove_prefix(sizeof(saying));
    if (saying.form != kBytesFollow) continue;
    const std::string_view bytes = about.substr(0, saying.value);
    about.remove_prefix(bytes.size());
    if (saying.name != kOfParameter || bytes.size() != sizeof(ParameterSaying)) continue;
    ParameterSaying parameter;
    std::memcpy(&parameter, bytes.data(), sizeof(parameter));
    found[parameter.ordinal] = parameter.bytes_and_more >> kBytesFromBit;
  }
  std::vector<std::uint32_t> parameters;
  parameters.reserve(found.size());
  for (const auto& [ordinal, bytes] : found) parameters.push_back(bytes);
  return parameters;
}

}  // namespace

Result<std::vector<CubinKernel>> ReadCubinKernels(std::string_view cubin) {
  const auto sections = ReadElfSections(cubin, "the GPU's code that the compiler made");
  if (!sections) return sections.error();
  std::vector<CubinKernel> kernels;
  for (const ElfSection& section : *sections) {
    if (!section.name.starts_with(kAboutKernel)) continue;
    kernels.push_back({section.name.substr(kAboutKernel.size()), ParametersIn(section.bytes)});
  }
  return kernels;
}

}  // namespace hone::compute

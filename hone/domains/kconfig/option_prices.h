// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "hone/domains/kconfig/build/kernel_builder.h"
#include "hone/domains/kconfig/options/kernel_options.h"

namespace hone::kernels {

// The objects that another value of a parameter makes anew, by its name, on the way from the base.
// Parameters that are none of the build's are not in it. nullopt while nothing was built.
using ObjectsByParameter = std::map<std::string, std::size_t>;
std::optional<ObjectsByParameter> ObjectsPerChange(const KernelOptions& options,
                                                   KernelBuilder& builder);

// "objects to build when changed: Timer frequency 560, AIO 12; 7 more, at most 9 each"
std::string ObjectsText(const ObjectsByParameter& objects);

// How long it takes to make so many, by what `built` took.
std::chrono::duration<double> BuildTime(std::size_t objects, const BuiltKernel& built);

}  // namespace hone::kernels

// SPDX-License-Identifier: Apache-2.0
#pragma once

// All of torch that the engine sees, and what is compiled ahead of its sources.
#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>  // IWYU pragma: export

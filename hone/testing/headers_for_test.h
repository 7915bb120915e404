// SPDX-License-Identifier: Apache-2.0
#pragma once

// What most tests include, compiled once for all of them (hone_test() in cmake/HoneTargets.cmake).
// A test includes what it uses all the same: the preset dev compiles it without this.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "hone/base/json/json.h"

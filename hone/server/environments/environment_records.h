// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/base/json/json.h"
#include "hone/server/environments/environment_settings.h"
#include "hone/server/environments/live_environment.h"

// What /v1/environments answers. docs/api.md describes it.
namespace hone::server {

// An environment with its spaces and facts; a line of the list has only where it stands.
Json EnvironmentJson(const LiveEnvironment& environment, const EnvironmentSettings& settings);
Json EnvironmentLine(const LiveEnvironment& environment);

Json EpisodeJson(const LiveEnvironment& environment, const EpisodeStart& start);

// What a step led to.
Json StepJson(const LiveEnvironment& environment, const EnvironmentStep& step);

}  // namespace hone::server

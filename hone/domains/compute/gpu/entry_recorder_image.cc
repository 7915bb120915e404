// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/gpu/entry_recorder_image.h"

#include "hone/core/embedded_file.h"

HONE_EMBED(kHoneEntryRecorder, HONE_ENTRY_RECORDER_FILE)

namespace hone::compute {

std::string_view EntryRecorderImage() { return kHoneEntryRecorder(); }

}  // namespace hone::compute

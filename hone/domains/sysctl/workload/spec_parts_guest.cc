// SPDX-License-Identifier: Apache-2.0
// What a workload says of running it in a guest.
#include "hone/domains/sysctl/workload/spec_parts.h"

namespace hone::sysctl {

GuestSpec ReadGuest(JsonReader reader) {
  constexpr std::int64_t kMaxMemoryMib = 65536;
  GuestSpec guest;
  RefuseUnknown(reader, "guest");
  if (reader.Has("files")) guest.files = ReadLabels(reader.At("files"));
  if (reader.Has("initramfs")) guest.initramfs = ReadLabel(reader.At("initramfs"));
  if (reader.Has("disk")) guest.disk = ReadLabel(reader.At("disk"));
  if (reader.Has("needs")) guest.needs = ReadLabels(reader.At("needs"));
  if (reader.Has("memory_mib")) {
    JsonReader memory = reader.At("memory_mib");
    guest.memory_mib = memory.Integer();
    if (*guest.memory_mib < 32 || *guest.memory_mib > kMaxMemoryMib) {
      memory.Fail("expected a whole number, 32 to 65536");
    }
  }
  if (!guest.initramfs.empty() && !guest.disk.empty()) {
    reader.At("disk").Fail("an initramfs or a disk, not both");
  }
  return guest;
}

Json GuestJson(const GuestSpec& guest) {
  Json json = Json::object();
  if (!guest.files.empty()) json["files"] = guest.files;
  if (!guest.initramfs.empty()) json["initramfs"] = guest.initramfs;
  if (!guest.disk.empty()) json["disk"] = guest.disk;
  if (!guest.needs.empty()) json["needs"] = guest.needs;
  if (guest.memory_mib) json["memory_mib"] = *guest.memory_mib;
  return json;
}

}  // namespace hone::sysctl

// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/apply/files_beside.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "hone/domains/sysctl/kernel/setting.h"

namespace hone::sysctl {

Result<std::string> FilesBeside::Read(const std::string& path) {
  if (!IsFilePath(path)) return kernel_.Read(path);
  const auto place = PlaceOf(path);
  if (!place) return place.error();
  const auto image = ReadFileImage(**place);
  if (!image) return image.error();
  return FingerprintOf(*image);
}

Result<std::string> FilesBeside::ReadRaw(const std::string& path) {
  return IsFilePath(path) ? Read(path) : kernel_.ReadRaw(path);
}

Result<void> FilesBeside::Write(const std::string& path, const std::string& text) {
  if (!IsFilePath(path)) return kernel_.Write(path, text);
  if (auto replaced = Replace(path, text); !replaced) return replaced;
  const HeldFile& held = held_.at(path);
  if (auto checked = RunReload({held.check, held.reload.timeout, {}}); !checked) return checked;
  return RunReloadOf(path);
}

Result<std::vector<std::string>> FilesBeside::Match(const std::string& pattern) {
  return kernel_.Match(pattern);
}

Result<std::vector<std::string>> FilesBeside::FilesBelow(const std::string& folder) {
  return kernel_.FilesBelow(folder);
}

bool FilesBeside::IsWritable(const std::string& path) {
  if (!IsFilePath(path)) return kernel_.IsWritable(path);
  const auto place = PlaceOf(path);
  return place && ::faccessat((*place)->folder(), ".", W_OK, AT_EACCESS) == 0;
}

std::string FilesBeside::Resolved(const std::string& path) {
  return IsFilePath(path) ? path : kernel_.Resolved(path);
}

std::string FilesBeside::Know(const std::string& path, const std::string& bytes) {
  FileImage image = held_.at(path).original;
  if (!image.is_there) {
    image.owner = ::geteuid();
    image.group = ::getegid();
  }
  image.is_there = true;
  image.bytes = bytes;
  std::string text = FingerprintOf(image);
  known_[path] = std::move(image);
  return text;
}

Result<void> FilesBeside::Replace(const std::string& path, const std::string& text) {
  const auto held = held_.find(path);
  const auto known = known_.find(path);
  const bool is_original = held != held_.end() && FingerprintOf(held->second.original) == text;
  const bool is_known = known != known_.end() && FingerprintOf(known->second) == text;
  if (!is_original && !is_known) {
    return Error{Errc::kCorrupt, fmt::format("{}: what \"{}\" was is not known", path, text)};
  }
  // What stands there though it is no plain file is somebody else's, and stays.
  const auto now = Read(path);
  if (!now) return now.error();
  DropDraft(path);
  if (*now == text) return {};
  return WriteFileImage(places_.at(path), is_original ? held->second.original : known->second);
}

void FilesBeside::DropDraft(const std::string& path) {
  if (const auto place = PlaceOf(path)) RemoveDraft(**place);
}

void FilesBeside::Hold(const std::string& path, FilePlace place) {
  places_.insert_or_assign(path, std::move(place));
}

Result<const FilePlace*> FilesBeside::PlaceOf(const std::string& path) {
  if (const auto known = places_.find(path); known != places_.end()) {
    if (auto in_place = known->second.CheckInPlace(); !in_place) return in_place.error();
    return &known->second;
  }
  auto place = FilePlace::Open(FileOfPath(path));
  if (!place) return place.error();
  const auto held = held_.find(path);
  if (held != held_.end() && held->second.folder) {
    if (auto same = place->CheckIs(*held->second.folder); !same) return same.error();
  }
  return &places_.emplace(path, std::move(*place)).first->second;
}

Result<void> FilesBeside::RunReloadOf(const std::string& path) const {
  const auto held = held_.find(path);
  return held == held_.end() ? Result<void>() : RunReload(held->second.reload);
}

}  // namespace hone::sysctl

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <ostream>

#include "hone/agent/data/episodes.h"
#include "hone/agent/data/leak_check.h"
#include "hone/agent/data/os_r1_import.h"
#include "hone/agent/data/training_export.h"
#include "hone/app/stored/stored_run.h"
#include "hone/base/file.h"
#include "hone/cli/verbs/data_actions.h"
#include "hone/cli/verbs/run_flags.h"

namespace hone::cli {
namespace {

constexpr std::size_t kMaxDataBytes = std::size_t{1} << 30;

Result<std::vector<agent::QuestionRow>> ReadSets(const std::vector<std::string>& files) {
  if (files.empty()) return Error{Errc::kInvalidArgument, "FILE: missing"};
  std::vector<agent::QuestionRow> rows;
  for (const std::string& file : files) {
    const auto text = ReadFile(file, kMaxDataBytes);
    if (!text) return text.error();
    auto read = agent::ParseQuestionSet(*text, file);
    if (!read) return read.error();
    for (agent::QuestionRow& row : *read) rows.push_back(std::move(row));
  }
  return rows;
}

Result<void> ImportFile(Shell& shell, const std::string& file, const std::string& split,
                        std::vector<agent::QuestionRow>& rows) {
  const auto text = ReadFile(file, kMaxDataBytes);
  if (!text) return text.error();
  auto imported = agent::ImportOsR1Log(*text, std::filesystem::path(file).filename().string());
  if (!imported) return imported.error();
  for (agent::QuestionRow& row : imported->rows) {
    row.split = split;
    rows.push_back(std::move(row));
  }
  if (shell.is_quiet) return {};
  for (const agent::ImportFault& fault : imported->faults) {
    shell.console.err << fmt::format("{}: left out: {}\n", fault.place, fault.what);
  }
  return {};
}

// A campaign's trials, or with --service the kernels that the service judged.
Result<std::vector<Json>> EpisodeDocuments(Shell& shell, const DataRequest& request) {
  std::vector<Json> documents;
  if (!request.is_service) {
    for (const std::string& run : request.operands) {
      const auto history = app::LoadRun(shell.store, shell.clock, run);
      if (!history) return history.error();
      for (const agent::Episode& episode : agent::EpisodesOf(*history)) {
        documents.push_back(agent::ToJson(episode));
      }
    }
    return documents;
  }
  auto store = EvaluationStore::Open(shell.store);
  if (!store) return store.error();
  const std::string prefix = request.operands.empty() ? "" : request.operands.front();
  const auto count =
      agent::ForEachEpisode(*store, prefix, [&](const agent::Episode& episode) -> Result<void> {
        documents.push_back(agent::ToJson(episode));
        return {};
      });
  if (!count) return count.error();
  return documents;
}

}  // namespace

std::vector<Json> JsonOf(const std::vector<agent::QuestionRow>& rows) {
  std::vector<Json> documents;
  documents.reserve(rows.size());
  for (const agent::QuestionRow& row : rows) documents.push_back(agent::ToJson(row));
  return documents;
}

Result<void> WriteRows(Shell& shell, const std::string& output, const std::vector<Json>& rows,
                       Json summary, const std::string& sentence) {
  const bool is_inside = shell.wants_json && output == "-";
  if (is_inside) {
    summary["rows"] = rows;
  } else if (auto written = WriteAnswer(shell, output, agent::JsonLines(rows)); !written) {
    return written;
  }
  if (shell.wants_json) {
    shell.console.out << Dump(summary) << '\n';
  } else if (!shell.is_quiet) {
    shell.console.err << sentence;
  }
  return {};
}

Result<ExitCode> DataCheck(Shell& shell, const DataRequest& request) {
  const auto by = agent::SplitByNamed(request.by);
  if (!by) return by.error();
  const auto rows = ReadSets(request.operands);
  if (!rows) return rows.error();
  const agent::LeakReport report = agent::FindLeaks(*rows);
  shell.console.out << (shell.wants_json ? Dump(agent::ToJson(report)) + "\n"
                                         : agent::ToText(report, *by));
  return agent::IsLeakFree(report, *by) ? ExitCode::kYes : ExitCode::kNo;
}

Result<ExitCode> DataSplit(Shell& shell, const DataRequest& request) {
  const auto by = agent::SplitByNamed(request.by);
  if (!by) return by.error();
  auto rows = ReadSets(request.operands);
  if (!rows) return rows.error();
  agent::SplitSettings settings = request.split;
  settings.by = *by;
  if (auto dealt = agent::DealOut(*rows, settings); !dealt) return dealt.error();
  const agent::LeakReport report = agent::FindLeaks(*rows);
  if (auto written = WriteRows(shell, request.output, JsonOf(*rows), agent::ToJson(report),
                               agent::ToText(report, *by));
      !written) {
    return written.error();
  }
  return agent::IsLeakFree(report, *by) ? ExitCode::kYes : ExitCode::kNo;
}

Result<ExitCode> DataImport(Shell& shell, const DataRequest& request) {
  if (request.operands.empty()) return Error{Errc::kInvalidArgument, "import: expected FILE…"};
  std::vector<agent::QuestionRow> rows;
  for (const std::string& file : request.operands) {
    if (auto read = ImportFile(shell, file, "train", rows); !read) return read.error();
  }
  for (const std::string& file : request.held_out) {
    if (auto read = ImportFile(shell, file, "validation", rows); !read) return read.error();
  }
  const agent::LeakReport report = agent::FindLeaks(rows);
  if (auto written = WriteRows(shell, request.output, JsonOf(rows), agent::ToJson(report),
                               agent::ToText(report, agent::SplitBy::kOption));
      !written) {
    return written.error();
  }
  return ExitCode::kYes;
}

Result<ExitCode> DataEpisodes(Shell& shell, const DataRequest& request) {
  if (!request.is_service && request.operands.empty()) {
    return Error{Errc::kInvalidArgument,
                 "episodes: expected RUN…, or --service for what the service judged"};
  }
  const auto documents = EpisodeDocuments(shell, request);
  if (!documents) return documents.error();
  if (auto written = WriteRows(shell, request.output, *documents, {{"episodes", documents->size()}},
                               fmt::format("{} episodes\n", documents->size()));
      !written) {
    return written.error();
  }
  return documents->empty() ? ExitCode::kNo : ExitCode::kYes;
}

Result<ExitCode> DataExport(Shell& shell, const DataRequest& request) {
  if (request.operands.size() != 1) return Error{Errc::kInvalidArgument, "export: expected FILE"};
  const auto trainer = agent::TrainerNamed(request.trainer);
  if (!trainer) return Error{trainer.error().code, "--as: " + trainer.error().message};
  const std::string& file = request.operands.front();
  const auto text = ReadFile(file, kMaxDataBytes);
  if (!text) return text.error();
  const auto exported = agent::ExportLines(*text, file, *trainer);
  if (!exported) return exported.error();
  const std::size_t count = exported->rows.size();
  if (auto written = WriteRows(
          shell, request.output, exported->rows,
          {{"exported", count}, {"left_out", exported->left_out}},
          fmt::format("{} rows; {} without a label left out\n", count, exported->left_out));
      !written) {
    return written.error();
  }
  return exported->rows.empty() ? ExitCode::kNo : ExitCode::kYes;
}

}  // namespace hone::cli

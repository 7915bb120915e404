// SPDX-License-Identifier: Apache-2.0
#include "hone/server/campaigns/campaign_routes.h"

#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <optional>
#include <utility>

#include "hone/base/json/records.h"
#include "hone/report/report.h"
#include "hone/server/http/event_stream.h"
#include "hone/server/page/page.h"
#include "hone/tune/campaign/campaign_json.h"

namespace hone::server {
namespace {

HttpResponse Answer(const Result<Json>& json) {
  return json ? JsonResponse(200, *json) : NativeError(json.error());
}

// Where the stream of one client stands.
struct CampaignStream {
  std::shared_ptr<CampaignLog> log;
  std::shared_ptr<LiveCampaign> live;  // Null: another process runs it, or nobody.
  std::uint64_t last = 0;
  LiveCampaign::Cursor cursor;
  std::stop_token gone;
  bool has_ended = false;
};

// What there is for the client now: first the durable events, then what is shown at the moment.
Result<std::string> Collect(CampaignStream& stream, std::uint64_t ring) {
  CampaignLog::Page page;
  while (page.text.empty()) {
    const auto is_all = stream.log->Refresh(ring);
    if (!is_all) return is_all.error();
    page = stream.log->After(stream.last, kPieceBytes);
    if (*is_all) break;
  }
  stream.last = page.last;
  if (stream.live && page.text.size() < kPieceBytes) page.text += stream.live->Since(stream.cursor);
  if (page.is_end) {
    page.text += EventText("end", Json::object());
    stream.has_ended = true;
  }
  return std::move(page.text);
}

// The next events, or a comment if there was none for a while; nullopt at the end.
Async<std::optional<std::string>> NextCampaignPiece(CampaignBoard& board,
                                                    std::shared_ptr<CampaignStream> stream) {
  if (stream->has_ended) co_return std::nullopt;
  const auto waiter = board.wakes().Register();
  Result<std::string> text = Collect(*stream, board.ring());
  if (text && text->empty()) {
    const WakeReason reason = co_await waiter->Wait(board.clock().Now() + kHeartbeat, stream->gone);
    if (reason == WakeReason::kGone) co_return std::nullopt;
    const bool is_beat = reason == WakeReason::kTimeout;
    text = Collect(*stream, is_beat ? 0 : board.ring());  // When it closes, for the last time.
    if (text && text->empty() && reason == WakeReason::kClosing) co_return std::nullopt;
    if (text && text->empty() && is_beat) co_return std::string(kSignOfLife);
  }
  if (!text) co_return std::nullopt;  // The client comes again, after the last id that it saw.
  co_return std::move(*text);
}

using tune::CampaignAsker;

// Where everybody may read, whoever started the server shows all that is in its store.
CampaignAsker AskerFor(const HttpRequest& request, Access reading) {
  return {request.submitter, reading == Access::kAnyone || request.role == TokenRole::kAdmin};
}

Async<HttpResponse> GetCampaigns(CampaignBoard& board, const HttpRequest&, CampaignAsker asker) {
  co_return Answer(board.List(asker));
}

Async<HttpResponse> GetListEvents(CampaignBoard& board, const HttpRequest& request,
                                  CampaignAsker asker) {
  co_return board.WatchList(request, asker);
}

Async<HttpResponse> GetCampaign(CampaignBoard& board, const HttpRequest& request,
                                CampaignAsker asker) {
  const auto id = board.Resolve(request.parts[0], asker);
  if (!id) co_return NativeError(id.error());
  co_return Answer(board.Describe(*id));
}

Async<HttpResponse> GetCampaignEvents(CampaignBoard& board, const HttpRequest& request,
                                      CampaignAsker asker) {
  const auto last = LastEventId(request);
  if (!last) co_return NativeError(last.error());
  const auto id = board.Resolve(request.parts[0], asker);
  if (!id) co_return NativeError(id.error());
  auto log = board.LogOf(*id);
  if (!log) co_return NativeError(log.error());
  auto stream = std::make_shared<CampaignStream>();
  stream->log = std::move(*log);
  stream->live = board.FindLive(*id);
  stream->last = last->value_or(0);
  stream->gone = request.gone;
  co_return StreamResponse([&board, stream] { return NextCampaignPiece(board, stream); });
}

HttpResponse DownloadResponse(const ExportedFile& file) {
  HttpResponse response;
  response.headers = {
      {"content-type", file.type},
      {"content-disposition", fmt::format("attachment; filename=\"{}\"", file.name)},
      {"cache-control", "no-store"},
      {"x-content-type-options", "nosniff"}};
  response.body = file.text;
  return response;
}

// Which point of a trade-off is wanted, if the request says so.
Result<std::optional<std::size_t>> PickIn(const HttpRequest& request) {
  const auto text = request.Query("pick");
  if (!text) return std::optional<std::size_t>();
  std::size_t pick = 0;
  const char* const end = text->data() + text->size();
  const auto read = std::from_chars(text->data(), end, pick);
  if (read.ec == std::errc() && read.ptr == end) return std::optional(pick);
  return Error{Errc::kInvalidArgument, "pick: expected the number of a point, from 1"};
}

// The campaign with all that was measured.
Result<tune::CampaignHistory> HistoryFor(CampaignBoard& board, const HttpRequest& request,
                                         const CampaignAsker& asker) {
  const auto id = board.Resolve(request.parts[0], asker);
  if (!id) return id.error();
  return board.Load(*id);
}

Async<HttpResponse> GetExport(CampaignBoard& board, const HttpRequest& request,
                              CampaignAsker asker) {
  const auto history = HistoryFor(board, request, asker);
  if (!history) co_return NativeError(history.error());
  const std::string form = request.Query("as").value_or("json");
  const auto pick = PickIn(request);
  if (!pick) co_return NativeError(pick.error());
  const auto file = board.settings().make(*history, form, *pick);
  if (!file) co_return NativeError(file.error());
  co_return DownloadResponse(*file);
}

Async<HttpResponse> GetRuns(CampaignBoard& board, const HttpRequest& request, CampaignAsker asker) {
  const std::string name = request.Query("block").value_or("");
  const auto history = HistoryFor(board, request, asker);
  if (!history) co_return NativeError(history.error());
  for (const tune::HistoryBlock& block : history->blocks) {
    if (block.name == name) co_return JsonResponse(200, tune::RunsJson(block));
  }
  co_return NativeError(
      Error{Errc::kNotFound,
            fmt::format("campaign {}: no comparison \"{}\" was measured", request.parts[0], name)});
}

Async<HttpResponse> GetReport(CampaignBoard& board, const HttpRequest& request,
                              CampaignAsker asker) {
  const auto history = HistoryFor(board, request, asker);
  if (!history) co_return NativeError(history.error());
  HttpResponse response;
  response.headers = {{"content-type", "text/html; charset=utf-8"},
                      {"cache-control", "no-store"},
                      {"x-content-type-options", "nosniff"},
                      {"content-security-policy", "sandbox allow-scripts"}};
  response.body = report::RenderReport(*history, ReportScriptOf(PageOfThisBuild()));
  co_return response;
}

using ReadAnswer = Async<HttpResponse> (*)(CampaignBoard& board, const HttpRequest& request,
                                           CampaignAsker asker);

Handler ReadBy(CampaignBoard& board, Access reading, ReadAnswer answer) {
  return Bind(board, [answer, reading](CampaignBoard& all, const HttpRequest& request) {
    return answer(all, request, AskerFor(request, reading));
  });
}

// Why the campaign cannot be controlled from here.
Result<std::shared_ptr<LiveCampaign>> Controllable(CampaignBoard& board, const std::string& id) {
  auto live = board.FindLive(id);
  if (live && live->control().State() != "done") return live;
  auto campaign = board.Describe(id);
  if (!campaign) return campaign.error();
  const std::string state = (*campaign)["line"]["state"];
  if (live || state == "done") {
    return Error{Errc::kConflict, fmt::format("campaign {}: it has ended", id)};
  }
  if (state == "running") {
    return Error{Errc::kConflict,
                 fmt::format("campaign {}: another process runs it; press Ctrl-C where it runs, or "
                             "use the dashboard that it started (hone tune --dashboard)",
                             id)};
  }
  return Error{Errc::kConflict,
               fmt::format("campaign {}: nobody runs it; go on with it first: hone resume {} "
                           "--dashboard",
                           id, id)};
}

using Command = void (CampaignControl::*)();

Async<HttpResponse> Control(CampaignBoard& board, const HttpRequest& request, Command command) {
  const auto id = board.Resolve(request.parts[0]);
  if (!id) co_return NativeError(id.error());
  const auto live = Controllable(board, *id);
  if (!live) co_return NativeError(live.error());
  ((*live)->control().*command)();
  co_return JsonResponse(202, {{"control", (*live)->control().State()}});
}

Route ControlRoute(CampaignBoard& board, const std::string& verb, std::string summary,
                   Command command) {
  return {.method = "POST",
          .path = "/v1/campaigns/{id}/" + verb,
          .access = Access::kAdmin,
          .summary = std::move(summary),
          .response_schema = "Control",
          .other_statuses = {202, 401, 403, 404, 409},
          .handler = Bind(board, [command](CampaignBoard& all, const HttpRequest& request) {
            return Control(all, request, command);
          })};
}

}  // namespace

std::vector<Route> CampaignRoutes(CampaignBoard& board, Access reading) {
  const auto read_by = [&](ReadAnswer answer) { return ReadBy(board, reading, answer); };
  return {
      {.method = "GET",
       .path = "/v1/campaigns",
       .access = reading,
       .summary = "The stored campaigns, newest first.",
       .response_schema = "Campaigns",
       .handler = read_by(GetCampaigns)},
      {.method = "GET",
       .path = "/v1/campaigns/events",
       .access = reading,
       .summary = "Server-sent events: the list of the campaigns, then what changes in it.",
       .handler = read_by(GetListEvents)},
      {.method = "GET",
       .path = "/v1/campaigns/{id}",
       .access = reading,
       .summary = "A campaign: what does not change, or only at its end.",
       .response_schema = "Campaign",
       .other_statuses = {404},
       .handler = read_by(GetCampaign)},
      {.method = "GET",
       .path = "/v1/campaigns/{id}/events",
       .access = reading,
       .summary = "Server-sent events: everything that happened, then what happens. Last-Event-ID "
                  "goes on after that one.",
       .other_statuses = {400, 404},
       .queries = {{"after", "integer", false, "As Last-Event-ID."}},
       .handler = read_by(GetCampaignEvents)},
      {.method = "GET",
       .path = "/v1/campaigns/{id}/export",
       .access = reading,
       .summary = "The campaign as a file; its exports name the forms.",
       .other_statuses = {400, 404},
       .queries = {{"as", "string", false, "The form; json by default."},
                   {"pick", "integer", false, "Which point of a trade-off, from 1."}},
       .handler = read_by(GetExport)},
      {.method = "GET",
       .path = "/v1/campaigns/{id}/runs",
       .access = reading,
       .summary = "The runs of one comparison, with what each printed.",
       .response_schema = "CampaignRuns",
       .other_statuses = {404},
       .queries = {{"block", "string", true, "The name of the block: trial/7/0."}},
       .handler = read_by(GetRuns)},
      {.method = "GET",
       .path = "/v1/campaigns/{id}/report",
       .access = reading,
       .summary = "The report, one HTML page.",
       .other_statuses = {404},
       .handler = read_by(GetReport)},
      ControlRoute(board, "pause", "No new run begins.", &CampaignControl::Pause),
      ControlRoute(board, "resume", "Goes on after a pause.", &CampaignControl::Resume),
      ControlRoute(board, "stop", "Ends the search; what it found is still proven.",
                   &CampaignControl::Stop),
      ControlRoute(board, "restore", "Ends at once and puts back what was changed.",
                   &CampaignControl::Restore),
  };
}

Route AboutRoute(AboutFacts facts, Clock& clock) {
  return {.method = "GET",
          .path = "/v1/about",
          .access = Access::kAnyone,
          .summary = "What this server is, and what the token at hand may do.",
          .response_schema = "About",
          .handler = [facts = std::move(facts),
                      &clock](const HttpRequest& request) -> Async<HttpResponse> {
            co_return JsonResponse(200, {{"version", facts.version},
                                         {"role", NameOf(request.role)},
                                         {"reads_need_token", facts.reads_need_token},
                                         {"controls_need_token", facts.controls_need_token},
                                         {"has_campaigns", facts.has_campaigns},
                                         {"has_service", facts.has_service},
                                         {"has_training", facts.has_training},
                                         {"now", IsoTime(clock.Wall())}});
          }};
}

}  // namespace hone::server

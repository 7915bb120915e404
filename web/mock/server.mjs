// SPDX-License-Identifier: Apache-2.0
// Speaks the contract of the dashboard with made-up data: for work on the page, and for tests of
// what the real program cannot show quickly. Serves dist/ under / and /ui/.
//
//   node mock/server.mjs [--port N] [--start MS] [--points N] [--pace MS]
//
// The live campaign lets out one event each `pace` ms since `start`; a server that is started again
// with the same start goes on as if it had never been away.
import { createReadStream, existsSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { kHostile, makeCampaign } from "./campaigns.mjs";
import * as service from "./service.mjs";
import { training, update } from "./training.mjs";

const dist = join(dirname(fileURLToPath(import.meta.url)), "..", process.env.DIST ?? "dist");
const option = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? fallback : Number(process.argv[at + 1]);
};
const port = option("port", 5055);
const start = option("start", Date.now());
const pace = option("pace", 150);
const points = option("points", 50000);
const kAdmin = "admin-token";

const made = new Map();
const recipes = {
  "nginx-9": { state: "running", live: true, trials: 60, seed: 3, created: start },
  "nginx-8": { seed: 1, label: "new disk", note: "After the SSD was changed.\nThe fans are loud." },
  "ppo-4": { seed: 11, engine: "ppo", episodes: true, trials: 240, pairs: 2 },
  "front-2": {
    seed: 2,
    kind: "front",
    objectives: ["requests_per_second", "latency_ms"],
    trials: 80,
  },
  "file-reads-3": { seed: 4, kind: "no_gain", scale: 0.02, workload: "file-reads", trials: 40 },
  "stopped-1": { seed: 5, state: "stopped", trials: 14 },
  "hostile-1": { seed: 6, text: kHostile, trials: 20 },
  "huge-1": { seed: 7, trials: Math.ceil(points / 8), pairs: 8, kind: "no_gain" },
};

function runsOf(name) {
  const run = (arm, speed) => ({
    arm,
    at: "2026-11-15T09:00:00.000000Z",
    seconds: 2.4,
    marks: arm === "baseline" ? ["steal 7 %"] : [],
    metrics: { requests_per_second: speed },
    observations: { page_faults: 1204 },
    output: `requests_per_second: ${speed}\n${kHostile}\n`,
  });
  return {
    name,
    outcome: "accepted",
    reason: "",
    runs: [run("baseline", 84000), run("candidate", 91000)],
    evidence: [{ what: "side effect", text: kHostile }],
  };
}

function campaign(id) {
  if (!recipes[id]) return null;
  if (!made.has(id)) made.set(id, makeCampaign({ id, ...recipes[id] }));
  return made.get(id);
}

let control = "running";
const released = (one) =>
  one.campaign.is_live
    ? Math.min(one.events.length, Math.floor((Date.now() - start) / pace))
    : one.events.length;

function fail(response, status, code, message) {
  json(response, status, { error: { code, message } });
}

function json(response, status, body) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

const text = (event) =>
  `${event.id === undefined ? "" : `id: ${event.id}\n`}event: ${event.event}\ndata: ${JSON.stringify(event.data)}\n\n`;

function streamTraining(response) {
  openStream(response);
  response.write(text({ event: "training", data: training(start) }));
  for (let at = 0; at < 300; ++at) {
    response.write(text({ id: start * 1000 + at + 1, event: "update", data: update(at) }));
  }
}

function progress(one, count) {
  const trials = one.events.slice(0, count).filter((event) => event.event === "trial");
  const last = trials[trials.length - 1]?.data;
  const accepted = trials.map((event) => event.data).filter((trial) => trial.reward);
  const best = accepted.reduce((a, b) => (a && a.reward.mean > b.reward.mean ? a : b), null);
  return {
    phase: count < 2 ? "gate" : "trial",
    done: trials.length,
    planned: 60,
    trials: trials.length,
    runs: 24 + trials.length * 8,
    measured_s: trials.length * 9.6,
    remaining_s: (60 - trials.length) * 10,
    elapsed_s: (Date.now() - start) / 1000,
    best: best && { changes: best.changes, reward: best.reward },
    current: last
      ? {
          trial: last.number,
          changes: last.changes,
          rewards: [0.01, 0.04, 0.02],
          reward: last.reward,
        }
      : null,
    message: "",
    control,
  };
}

function streamCampaign(one, after, response) {
  openStream(response);
  let sent = after;
  const flush = () => {
    const until = released(one);
    const batch = one.events
      .slice(sent, Math.min(until, sent + 2000))
      .map(text)
      .join("");
    if (batch) response.write(batch);
    sent = Math.min(until, sent + 2000);
    return sent < until;
  };
  if (!one.campaign.is_live) {
    const pump = () => {
      if (response.destroyed) return;
      if (flush()) return void setImmediate(pump);
      response.end("event: end\ndata: {}\n\n");
    };
    return pump();
  }
  let sequence = 0;
  const tick = () => {
    while (flush());
    response.write(text({ event: "progress", data: progress(one, sent) }));
  };
  response.write(
    text({
      event: "journal",
      data: {
        is_clean: false,
        changed: 3,
        sentence: "3 parameters changed, originals safe on disk",
        entries: [
          { name: "vm.swappiness", original: "60", now: "12" },
          { name: "vm.dirty_ratio", original: "20", now: "41" },
          { name: "net.core.somaxconn", original: "4096", now: "16384" },
        ],
      },
    }),
  );
  for (let k = 0; k < 20; ++k) {
    response.write(
      text({
        event: "log",
        data: {
          at: new Date(start + k * 900).toISOString(),
          level: k === 7 ? "warning" : "info",
          text:
            k === 7
              ? "The machine was busy during trial 3: steal 7 %."
              : `trial ${k}: measured 4 pairs`,
          sequence: ++sequence,
        },
      }),
    );
  }
  tick();
  const timer = setInterval(tick, Math.max(50, pace));
  const psi = () =>
    response.write(
      text({
        event: "pressure",
        data: {
          at: new Date().toISOString(),
          cpu: 12 + 8 * Math.sin(Date.now() / 9000),
          memory: 0.4,
          io: 3 + 2 * Math.cos(Date.now() / 7000),
          load: 1.7,
        },
      }),
    );
  psi();
  const pressure = setInterval(psi, 2000);
  response.on("close", () => {
    clearInterval(timer);
    clearInterval(pressure);
  });
}

function openStream(response) {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
}

// Everything, then one more settled task each three seconds.
function streamService(response) {
  openStream(response);
  response.write(text({ event: "service", data: service.everything(Date.now()) }));
  const timer = setInterval(() => {
    const now = Date.now();
    const [line] = service.tasks(now, "accepted").tasks;
    const fresh = {
      ...line,
      id: `task-${now}`,
      sequence: now,
      finished: new Date(now).toISOString(),
    };
    response.write(text({ event: "service", data: { is_whole: false, tasks: [fresh] } }));
  }, 3000);
  response.on("close", () => clearInterval(timer));
}

// The list, then the line of the campaign that runs, each second.
function streamList(response) {
  openStream(response);
  const campaigns = Object.keys(recipes).map((name) => listed(name));
  response.write(text({ event: "campaigns", data: { campaigns } }));
  const timer = setInterval(
    () => response.write(text({ event: "campaign", data: listed("nginx-9") })),
    1000,
  );
  response.on("close", () => clearInterval(timer));
}

function answer(request, response) {
  const url = new URL(request.url, "http://localhost");
  const parts = url.pathname.split("/").filter(Boolean).map(decodeURIComponent);
  const bearer = (request.headers.authorization ?? "").replace("Bearer ", "");
  const role = bearer === kAdmin ? "admin" : "nobody";
  const [, noun, id, verb] = parts;
  if (noun === "about")
    return json(response, 200, {
      version: "0.1.0",
      role,
      reads_need_token: false,
      controls_need_token: true,
      has_campaigns: true,
      has_service: true,
      has_training: process.argv.includes("--training"),
      now: new Date().toISOString(),
    });
  if (noun === "training") return streamTraining(response);
  if (noun === "campaigns" && !id)
    return json(response, 200, { campaigns: Object.keys(recipes).map((name) => listed(name)) });
  if (noun === "campaigns" && id === "events") return streamList(response);
  if (noun === "campaigns") {
    const one = campaign(id);
    if (!one)
      return fail(
        response,
        404,
        "not_found",
        `campaign ${id}: there is none in this store; hone runs lists them`,
      );
    if (!verb) return json(response, 200, one.campaign);
    if (verb === "events")
      return streamCampaign(
        one,
        Number(request.headers["last-event-id"] ?? url.searchParams.get("after") ?? 0),
        response,
      );
    if (verb === "runs") return json(response, 200, runsOf(url.searchParams.get("block")));
    if (verb === "export") {
      response.writeHead(200, {
        "content-type": "text/plain",
        "content-disposition": `attachment; filename="${id}.${url.searchParams.get("as")}"`,
      });
      const pick = url.searchParams.get("pick");
      return response.end(`${pick ? `# point ${pick}\n` : ""}vm.swappiness = 4\n`);
    }
    if (request.method !== "POST") return fail(response, 405, "method", "POST it");
    if (role !== "admin")
      return fail(
        response,
        403,
        "forbidden",
        `campaign ${id}: to ${verb} it needs a token of the role admin`,
      );
    if (!one.campaign.is_live)
      return fail(response, 409, "stale", `campaign ${id}: it does not run here`);
    control =
      { pause: "pausing", resume: "running", stop: "stopping", restore: "stopping" }[verb] ??
      control;
    return json(response, 202, { control });
  }
  const now = Date.now();
  if (noun === "service" && id === "events") return streamService(response);
  if (noun === "tasks" && !id)
    return json(response, 200, service.tasks(now, url.searchParams.get("outcome") ?? ""));
  if (noun === "tasks" && verb === "wait")
    return void setTimeout(() => json(response, 202, service.task(id, now)), 25000);
  if (noun === "tasks") {
    const task = service.task(id, now);
    return task
      ? json(response, 200, task)
      : fail(response, 404, "not_found", `task ${id}: there is none`);
  }
  return fail(response, 404, "not_found", "There is nothing here.");
}

function listed(name) {
  if (name === "huge-1")
    return {
      id: name,
      domain: "toy",
      workload: "smooth",
      engine: "random",
      state: "done",
      created: "2026-11-15T09:00:00Z",
      updated: "2026-11-15T09:40:00Z",
      trials: recipes[name].trials,
      most_trials: recipes[name].trials,
      objectives: ["throughput"],
      verdict: { kind: "no_gain", sentence: "No gain.", gain: null },
      last_error: "",
    };
  return campaign(name).campaign.line;
}

const kTypes = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};
const kPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

function serveFile(path, response) {
  const file = join(dist, normalize(path.replace(/^\/ui\/?/, "/")).replace(/\/$/, "/index.html"));
  if (!file.startsWith(dist) || !existsSync(file))
    return fail(response, 404, "not_found", "There is nothing here.");
  response.writeHead(200, {
    "content-type": kTypes[extname(file)] ?? "text/plain",
    "content-security-policy": kPolicy,
    "x-content-type-options": "nosniff",
  });
  createReadStream(file).pipe(response);
}

const server = createServer((request, response) => {
  response.on("error", () => undefined);
  const { pathname } = new URL(request.url, "http://localhost");
  if (pathname.startsWith("/v1/")) return answer(request, response);
  return serveFile(pathname, response);
});
server.listen(port, "127.0.0.1", () =>
  console.log(`mock: http://127.0.0.1:${server.address().port}/`),
);

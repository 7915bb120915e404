// SPDX-License-Identifier: Apache-2.0
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { paths } from "./api/client";
import type { StreamState } from "./api/stream";
import { token } from "./api/token";
import type { About } from "./api/types";
import { CampaignPage } from "./pages/campaign";
import { CampaignsPage } from "./pages/campaigns";
import { ComparePage } from "./pages/compare";
import { ServicePage } from "./pages/service";
import { TaskPage } from "./pages/task";
import { TrainingPage } from "./pages/training";
import { Empty, Loading, Trouble } from "./parts/basics";
import { useFetched } from "./parts/hooks";
import { type Session, SessionContext, TokenDialog } from "./parts/session";
import { type Place, type Route, homeOf, hrefs, parseRoute } from "./routes";
import { type Theme, setTheme, theme } from "./theme";

function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  useEffect(() => {
    const follow = () => setRoute(parseRoute(location.hash));
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return route;
}

interface Question {
  why: string;
  answer: (is_given: boolean) => void;
}

export function App() {
  const route = useRoute();
  const place = JSON.stringify(route);
  const { value: known, error, reload } = useFetched<About>(paths.about);
  const title = titleOf(route, known);
  const [question, ask] = useState<Question | null>(null);
  const [connection, setConnection] = useState<StreamState | null>(null);
  const [told, tell] = useState("");
  const [identity, setIdentity] = useState(0); // Pages begin anew under another token.
  const main = useRef<HTMLElement>(null);
  const is_first = useRef(true);
  const askToken = useCallback(
    (why: string) =>
      new Promise<boolean>((resolve) =>
        ask({
          why,
          answer: (is_given) => {
            ask(null);
            resolve(is_given);
          },
        }),
      ),
    [],
  );
  const changeToken = useCallback(async () => {
    const is_changed = await askToken(
      "Reading or controlling may need one, depending on its role.",
    );
    if (!is_changed) return;
    reload();
    setIdentity((old) => old + 1);
  }, [askToken, reload]);
  useEffect(() => {
    document.title = title;
  }, [title]);
  useEffect(() => {
    setConnection(null);
    tell("");
    // On the first page the reader begins at the top, with the link that skips to the content.
    if (!is_first.current) main.current?.focus({ preventScroll: true });
    is_first.current = false;
    scrollTo(0, 0);
  }, [place]);
  const session = useMemo<Session | null>(
    () => known && { about: known, askToken, setConnection, tell },
    [known, askToken],
  );
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => skip(event, main.current)}>
        Skip to the content
      </a>
      <Header about={known} route={route} changeToken={changeToken} />
      <Connection state={connection} />
      <div class="told" role="status" aria-live="polite">
        {told && (
          <p>
            {told}
            <button type="button" class="quiet" onClick={() => tell("")}>
              Close
            </button>
          </p>
        )}
      </div>
      <main id="main" tabIndex={-1} ref={main}>
        {error && !known && <Trouble error={error} retry={reload} askToken={changeToken} />}
        {!error && !known && <Loading what="the page" />}
        {session && (
          <SessionContext.Provider value={session}>
            <Page key={`${place}${identity}`} route={route} about={session.about} />
          </SessionContext.Provider>
        )}
      </main>
      <footer>
        {known ? `Hone ${known.version}` : "Hone"} · times are in your zone (
        {Intl.DateTimeFormat().resolvedOptions().timeZone}); point at one to see it in UTC
      </footer>
      {question && <TokenDialog why={question.why} done={question.answer} />}
    </>
  );
}

function skip(event: Event, main: HTMLElement | null): void {
  event.preventDefault();
  main?.focus();
}

const titles = { campaigns: "Campaigns", training: "Training", service: "Service" };

function titleOf(route: Route, about: About | null): string {
  switch (route.page) {
    case "home":
      return `${titles[placeOf(route, about)]} · Hone`;
    case "campaign":
      return `${route.id} · Hone`;
    case "compare":
      return "Compare · Hone";
    case "training":
      return "Training · Hone";
    case "service":
      return "Service · Hone";
    case "task":
      return `Task ${route.id} · Hone`;
    default:
      return "Campaigns · Hone";
  }
}

function Page({ route, about }: { route: Route; about: About }) {
  switch (route.page) {
    case "home":
      return <Home place={homeOf(about)} />;
    case "campaigns":
      return <CampaignsPage />;
    case "campaign":
      return <CampaignPage id={route.id} />;
    case "compare":
      return <ComparePage ids={route.ids} />;
    case "training":
      return about.has_training ? <TrainingPage /> : <NoTraining />;
    case "service":
      return about.has_service ? <ServicePage /> : <NoService />;
    case "task":
      return <TaskPage id={route.id} />;
    case "unknown":
      return (
        <Empty>
          <h1>There is no such page</h1>
          <p>
            Nothing is at <code>{route.path}</code>.{" "}
            <a href={hrefs.campaigns}>See the campaigns.</a>
          </p>
        </Empty>
      );
  }
}

function Home({ place }: { place: Place }) {
  if (place === "training") return <TrainingPage />;
  return place === "service" ? <ServicePage /> : <CampaignsPage opens_running />;
}

function NoTraining() {
  return (
    <Empty>
      <h1>No training here</h1>
      <p>
        This server trains nothing. <code>hone train ppo --dashboard</code> shows a training while
        it runs.
      </p>
    </Empty>
  );
}

function NoService() {
  return (
    <Empty>
      <h1>No service here</h1>
      <p>
        This server shows campaigns only. <code>hone serve</code> runs the evaluation service, with
        this page under <code>/ui</code>.
      </p>
    </Empty>
  );
}

// Which of the pages in the head this one belongs to.
function placeOf(route: Route, about: About | null): Place {
  if (route.page === "service" || route.page === "task") return "service";
  if (route.page === "training") return "training";
  return route.page === "home" ? homeOf(about) : "campaigns";
}

function Header(props: { about: About | null; route: Route; changeToken: () => void }) {
  const { about, route } = props;
  const place = placeOf(route, about);
  const [chosen, choose] = useState<Theme>(theme());
  return (
    <header class="top">
      <a class="brand" href="#/">
        <Mark /> Hone
      </a>
      <nav aria-label="Pages">
        {about?.has_campaigns !== false && (
          <a href={hrefs.campaigns} aria-current={place === "campaigns" ? "page" : undefined}>
            Campaigns
          </a>
        )}
        {about?.has_training && (
          <a href={hrefs.training} aria-current={place === "training" ? "page" : undefined}>
            Training
          </a>
        )}
        {about?.has_service && (
          <a href={hrefs.service} aria-current={place === "service" ? "page" : undefined}>
            Service
          </a>
        )}
      </nav>
      <span class="spring" />
      <button type="button" class="quiet" onClick={props.changeToken}>
        {about && about.role !== "nobody" ? `Token: ${about.role}` : token() ? "Token" : "Token …"}
      </button>
      <label class="theme">
        <span class="unseen">Colours</span>
        <select
          value={chosen}
          onChange={(event) => {
            const value = event.currentTarget.value as Theme;
            choose(value);
            setTheme(value);
          }}
        >
          <option value="system">Auto</option>
          <option value="light">Light</option>
          <option value="dark">Dark</option>
        </select>
      </label>
    </header>
  );
}

function Mark() {
  return (
    <svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#0b5f8a" />
      <path
        d="M6 23 L13 15 L18 19 L26 8"
        fill="none"
        stroke="#fff"
        stroke-width="3"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
      <path d="M6 26.5h20" stroke="#e69f00" stroke-width="2" stroke-linecap="round" />
    </svg>
  );
}

function Connection({ state }: { state: StreamState | null }) {
  const is_lost = state?.kind === "lost";
  return (
    <div role="alert" class="connection">
      {is_lost && <p>Connection lost, trying again … {state.reason} What is on screen stays.</p>}
    </div>
  );
}

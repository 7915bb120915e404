// SPDX-License-Identifier: Apache-2.0
import { render } from "preact";
import "uplot/dist/uPlot.min.css";
import { paths, prefetch } from "./api/client";
import { App } from "./app";
import { parseRoute } from "./routes";
import "./style/tokens.css";
import "./style/page.css";
import "./style/parts";
import { startTheme } from "./theme";

startTheme();
prefetch(paths.about);
const route = parseRoute(location.hash);
if (route.page === "campaign") prefetch(paths.campaign(route.id));
const place = document.getElementById("app");
if (place) render(<App />, place);

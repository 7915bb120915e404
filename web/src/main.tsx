// SPDX-License-Identifier: Apache-2.0
import { render } from "preact";
import "uplot/dist/uPlot.min.css";
import { App } from "./app";
import "./style/tokens.css";
import "./style/page.css";
import "./style/parts.css";
import { startTheme } from "./theme";

startTheme();
const place = document.getElementById("app");
if (place) render(<App />, place);

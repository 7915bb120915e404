// SPDX-License-Identifier: Apache-2.0
// The rules for all parts, on the page and in the report. Of two that are as specific, the later
// wins, so the order counts.
import "./parts/controls.css";
import "./parts/panels.css";
import "./parts/status.css";
import "./parts/figures.css";
import "./parts/tables.css";
import "./parts/texts.css";
import "./parts/print.css";

// SPDX-License-Identifier: Apache-2.0
#include "hone/report/report_style.h"

namespace hone::report {
namespace {

constexpr std::string_view kStyle = R"css(
:root { color-scheme: light dark;
  --page: #ffffff; --panel: #f5f7f9; --text: #1b2430; --soft: #57636f; --rule: #d8dee4;
  --grid: #e8ecf0; --candidate: #0072b2; --baseline: #8a5a00; --good: #00795a; --bad: #b84300;
  --warn: #9a6700; --muted: #7d8995; --band: #0072b226; --bar: #0072b259; }
@media (prefers-color-scheme: dark) { :root {
  --page: #12171d; --panel: #1b222a; --text: #e4e9ee; --soft: #9aa7b4; --rule: #323c47;
  --grid: #252d36; --candidate: #56b4e9; --baseline: #e69f00; --good: #2fc196; --bad: #ff8a4c;
  --warn: #e8b93c; --muted: #8492a0; --band: #56b4e933; --bar: #56b4e966; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--text);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: clamp(1.9rem, 6vw, 2.9rem); line-height: 1.12; margin: .2rem 0 .6rem;
  letter-spacing: -.02em; text-wrap: balance; }
h2 { font-size: 1.3rem; margin: 2.8rem 0 .6rem; padding-top: 1.1rem;
  border-top: 1px solid var(--rule); letter-spacing: -.01em; }
h3 { font-size: 1rem; margin: 1.6rem 0 .4rem; }
p { margin: .5rem 0; max-width: 46rem; }
small, .soft { color: var(--soft); }
code, pre { font: .88em/1.45 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
code { overflow-wrap: anywhere; }
pre { background: var(--panel); border: 1px solid var(--rule); border-radius: 6px;
  padding: .8rem 1rem; overflow-x: auto; }
.eyebrow { color: var(--soft); font-size: .9rem; margin: 0; }
.verdict { border-left: 5px solid var(--muted); padding-left: 1.1rem; }
.verdict.gain, .verdict.front { border-color: var(--good); }
.verdict.unfinished { border-color: var(--warn); }
.lead { font-size: 1.12rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(16rem, 42%), 1fr));
  gap: .7rem; margin: 1.4rem 0; }
.tile { background: var(--panel); border-radius: 8px; padding: .7rem .9rem; }
.tile b { display: block; font-size: 1.18rem; font-variant-numeric: tabular-nums; }
.tile span { color: var(--soft); font-size: .84rem; }
.warn { border-left: 4px solid var(--warn); padding-left: .8rem; }
.bad { color: var(--bad); font-weight: 600; }
.table { overflow-x: auto; margin: .8rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .38rem .7rem .38rem 0;
  border-bottom: 1px solid var(--rule); }
thead th { color: var(--soft); font-weight: 600; white-space: nowrap; }
td.n { font-variant-numeric: tabular-nums; white-space: nowrap; }
td.strong { font-weight: 650; }
td.wide { min-width: 9rem; width: 28%; padding: .3rem 1.2rem .3rem .4rem; overflow: hidden; }
.facts th { font-weight: 500; color: var(--soft); width: 15rem; }
details { margin: .8rem 0; }
summary { cursor: pointer; font-weight: 600; padding: .3rem 0; }
figure { margin: 1.2rem 0 1.8rem; break-inside: avoid; }
figcaption { color: var(--soft); font-size: .87rem; margin-top: .5rem; max-width: 46rem; }
.plot { padding: 0 .9rem 0 3.9rem; }
.plot svg, svg.forest { display: block; }
.ytitle { margin: 0 0 .55rem -3.9rem; font-size: .82rem; color: var(--soft); }
.xtitle { text-align: center; font-size: .82rem; color: var(--soft); margin-top: .1rem; }
.tick { font-size: 12px; fill: var(--soft); font-variant-numeric: tabular-nums; }
.label { font-size: 13px; fill: var(--text); font-weight: 600; }
.grid { stroke: var(--grid); } .axis { stroke: var(--muted); }
.zero { stroke: var(--text); stroke-dasharray: 2 3; }
.error { stroke: var(--muted); stroke-width: 1.2; opacity: .65; }
.interval { stroke: var(--candidate); stroke-width: 2.5; stroke-linecap: round; }
.best { stroke: var(--good); stroke-width: 2; stroke-linecap: round; }
.effect { stroke: var(--candidate); stroke-width: 2.5; }
.trend { stroke: var(--bad); stroke-width: 2; }
.centre { stroke: var(--baseline); stroke-dasharray: 5 4; }
.link { stroke-width: 1.5; opacity: .75; } .link.better { stroke: var(--candidate); }
.link.worse { stroke: var(--bad); stroke-dasharray: 3 3; }
.band { fill: var(--band); } .bar { fill: var(--bar); stroke: var(--candidate); }
.dot { stroke: var(--page); stroke-width: 1; } .ring { fill: var(--page); stroke-width: 1.7; }
.cross, .halo { fill: none; stroke-width: 2; }
.dot.candidate { fill: var(--candidate); } .ring.candidate { stroke: var(--candidate); }
.dot.baseline { fill: var(--baseline); } .ring.baseline { stroke: var(--baseline); }
.dot.muted { fill: var(--muted); } .dot.warning { fill: var(--warn); }
.cross.failed, .halo.failed { stroke: var(--bad); }
.key { white-space: nowrap; margin-right: .9em; }
.key i { display: inline-block; width: .75em; height: .75em; margin-right: .35em;
  vertical-align: -.04em; color: var(--muted); }
.key .candidate, .key .better, .key .effect { color: var(--candidate); }
.key .baseline, .key .centre { color: var(--baseline); }
.key .best { color: var(--good); } .key .warning { color: var(--warn); }
.key .failed, .key .trend, .key .worse { color: var(--bad); }
.key .zero { color: var(--text); }
.k-dot { border-radius: 50%; background: currentColor; }
.k-ring, .k-halo { border-radius: 50%; border: 2px solid currentColor; }
.k-diamond { background: currentColor; transform: rotate(45deg) scale(.85); }
.k-triangle { background: currentColor; clip-path: polygon(0 0, 100% 0, 50% 100%); }
.key .k-line, .key .k-dash { width: 1.3em; height: 0; border-top: 2.5px solid currentColor;
  vertical-align: .25em; }
.key .k-dash { border-top-style: dashed; border-top-width: 2px; }
.k-box { background: var(--band); outline: 1px solid var(--candidate); }
.key .k-halo { width: 1.05em; height: 1.05em; vertical-align: -.2em; }
.key .k-cross { width: auto; height: auto; font-style: normal; font-weight: 700; }
.k-cross::before { content: "×"; }
footer { margin-top: 3rem; color: var(--soft); font-size: .85rem; }
@media (max-width: 40rem) {
  main { padding: 1.2rem .9rem 3rem; }
  .plot { padding: 0 .5rem 0 3.1rem; } .ytitle { margin-left: -3.1rem; }
  .facts th { width: 9rem; } }
@media print { :root { color-scheme: light; --page: #fff; --panel: #f5f7f9; --text: #000;
  --soft: #444; --rule: #ccc; --grid: #e8e8e8; --candidate: #0072b2; --baseline: #8a5a00;
  --good: #00795a; --bad: #b84300; --warn: #9a6700; --muted: #777; --band: #0072b226;
  --bar: #0072b259; }
  body { font-size: 10.5pt; } main { max-width: none; padding: 0; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  h2, h3 { break-after: avoid; } tr, .tile { break-inside: avoid; } .table { overflow: visible; } }
)css";

}  // namespace

std::string_view ReportStyle() { return kStyle; }

}  // namespace hone::report

// SPDX-License-Identifier: Apache-2.0
import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import type { ApiError } from "../api/client";
import { timeText, utcText } from "../text/time";

export function Panel(props: {
  title: string;
  children: ComponentChildren;
  wide?: boolean;
  actions?: ComponentChildren;
  hint?: ComponentChildren;
}) {
  const id = useId();
  return (
    <section class={`panel ${props.wide ? "is-wide" : ""}`} aria-labelledby={id}>
      <div class="panel-head">
        <h2 id={id}>{props.title}</h2>
        {props.actions}
      </div>
      {props.hint && <p class="hint">{props.hint}</p>}
      {props.children}
    </section>
  );
}

export type Tone = "good" | "bad" | "busy" | "calm" | "warn";

// A number that someone looks for: its name above it.
export function Stat(props: {
  name: string;
  children: ComponentChildren;
  detail?: ComponentChildren;
  tone?: Tone;
  is_loud?: boolean; // The one that all others are about.
}) {
  return (
    <div class={`stat is-${props.tone ?? "calm"} ${props.is_loud ? "is-loud" : ""}`}>
      <dt>{props.name}</dt>
      <dd>
        <span class="stat-value">{props.children}</span>
        {props.detail && <span class="stat-detail">{props.detail}</span>}
      </dd>
    </div>
  );
}

// A state in a word; its sign tells it apart without colour.
export function Badge({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  const signs: Record<Tone, string> = { good: "✓", bad: "✕", busy: "●", calm: "○", warn: "!" };
  return (
    <span class={`badge is-${tone}`}>
      <span aria-hidden="true">{signs[tone]}</span> {children}
    </span>
  );
}

export function Time({ at }: { at: string | null | undefined }) {
  if (!at) return <span class="faint">–</span>;
  return (
    <time dateTime={at} title={utcText(at)}>
      {timeText(at)}
    </time>
  );
}

export function Loading({ what }: { what: string }) {
  return (
    <p class="loading" role="status">
      Loading {what} …
    </p>
  );
}

export function Empty({ children }: { children: ComponentChildren }) {
  return <div class="empty">{children}</div>;
}

// What went wrong, and what to do about it.
export function Trouble(props: { error: ApiError; retry: () => void; askToken: () => void }) {
  const { error } = props;
  return (
    <div class="trouble" role="alert">
      <h2>
        {error.status === 404
          ? "Not found"
          : error.needsToken
            ? "A token is needed"
            : "That did not work"}
      </h2>
      <p>{error.message}</p>
      {error.needsToken && (
        <p>
          The tokens stand in the file <code>tokens</code> beside the store of the server, one on
          each line, each with its role.
        </p>
      )}
      <p class="row">
        {error.needsToken && (
          <button type="button" class="primary" onClick={props.askToken}>
            Enter a token
          </button>
        )}
        <button type="button" onClick={props.retry}>
          Try again
        </button>
      </p>
    </div>
  );
}

export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

// Where there is no clipboard for scripts: pages that are not on loopback and not encrypted.
function copyBySelection(text: string): boolean {
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "unseen";
  document.body.append(area);
  area.select();
  const is_done = document.execCommand("copy");
  area.remove();
  return is_done;
}

export function CopyButton({ text, label }: { text: () => string; label: string }) {
  const [said, say] = useState("");
  const copy = async () => {
    say((await copyText(text())) ? "Copied" : "Could not be copied");
    setTimeout(() => say(""), 2000);
  };
  return (
    <button type="button" onClick={copy}>
      {label}
      <span role="status" class="said">
        {said && ` · ${said}`}
      </span>
    </button>
  );
}

export function saveBlob(name: string, body: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(body);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// Text of a program: shown as it is, and never as markup.
export function Verbatim({ text, label }: { text: string; label: string }) {
  return (
    <pre class="verbatim" tabIndex={0} role="region" aria-label={label}>
      {text}
    </pre>
  );
}

// Rows with a bar each, on one scale; `value` is its length, `label` what it says.
export function BarTable(props: {
  head: string[];
  rows: { name: string; cells: ComponentChildren[]; value: number; label: string }[];
}) {
  const max = Math.max(1e-9, ...props.rows.map((row) => row.value));
  return (
    <table class="bars">
      <thead>
        <tr>
          {props.head.map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
          <th scope="col">
            <span class="unseen">Bar</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {props.rows.map((row) => (
          <tr key={row.name}>
            <th scope="row">{row.name}</th>
            {row.cells.map((cell, at) => (
              <td key={at} class="number">
                {cell}
              </td>
            ))}
            <td class="bar-cell">
              <meter min={0} max={max} value={row.value} aria-label={row.label} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

// Names and what they are.
export function Facts({ of, is_wide }: { of: [string, ComponentChildren][]; is_wide?: boolean }) {
  return (
    <dl class={`facts ${is_wide ? "is-wide" : ""}`}>
      {of.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

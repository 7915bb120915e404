// SPDX-License-Identifier: Apache-2.0
import { createContext } from "preact";
import { useContext, useEffect, useId, useRef, useState } from "preact/hooks";
import type { About } from "../api/types";
import { setToken, token } from "../api/token";
import type { StreamState } from "../api/stream";

// What every page may need of the whole.
export interface Session {
  about: About;
  // Asks for a token; resolves to false if the reader gave none.
  askToken(why: string): Promise<boolean>;
  setConnection(state: StreamState | null): void;
  tell(text: string): void;
}

export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("no session");
  return session;
}

// The whole page says when this connection is lost.
export function useShownConnection(connection: StreamState): void {
  const session = useSession();
  useEffect(() => session.setConnection(connection), [session, connection]);
}

export function TokenDialog(props: { why: string; done: (is_given: boolean) => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState("");
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  const save = (event: Event) => {
    event.preventDefault();
    if (text.trim() === "") return;
    setToken(text.trim());
    props.done(true);
  };
  return (
    <dialog ref={dialog} aria-labelledby={`${id}t`} onCancel={() => props.done(false)}>
      <form onSubmit={save}>
        <h2 id={`${id}t`}>Token</h2>
        <p>{props.why}</p>
        <label for={`${id}i`}>Token</label>
        <input
          id={`${id}i`}
          type="password"
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <p class="hint">It is kept in this tab only, and sent in a header, never in an address.</p>
        <p class="row">
          <button type="submit" class="primary" disabled={text.trim() === ""}>
            Use this token
          </button>
          <button type="button" onClick={() => props.done(false)}>
            Cancel
          </button>
          {token() !== "" && (
            <button
              type="button"
              onClick={() => {
                setToken("");
                props.done(true);
              }}
            >
              Forget the token
            </button>
          )}
        </p>
      </form>
    </dialog>
  );
}

export function ConfirmDialog(props: {
  title: string;
  text: string;
  action: string;
  done: (is_sure: boolean) => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onCancel={() => props.done(false)}>
      <h2 id={id}>{props.title}</h2>
      <p>{props.text}</p>
      <p class="row">
        <button type="button" class="danger" onClick={() => props.done(true)}>
          {props.action}
        </button>
        <button type="button" onClick={() => props.done(false)}>
          Cancel
        </button>
      </p>
    </dialog>
  );
}

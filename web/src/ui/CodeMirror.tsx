import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json, jsonParseLinter } from "@codemirror/lang-json";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, linter, lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, type KeyBinding, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { getNonce } from "get-nonce";
import { useEffect, useRef } from "react";
import { cn } from "../lib/cn";
import { replacing } from "./codeReplacing";
import { unseen } from "./codeUnseen";

export interface CodeEditorProps {
  value: string;
  onChange: (value: string) => void;
  language: "json" | "yaml";
  /** Read out. */
  label: string;
  readOnly?: boolean;
  /** Marked at their lines. Lines and columns count from 1. */
  problems?: CodeProblem[];
  /** Undo and redo of a history outside of the editor, which then has none of its own. */
  outside?: { undo: () => void; redo: () => void };
  /** The line to show. */
  line?: number;
  className?: string;
}

export interface CodeProblem {
  line?: number;
  column?: number;
  message: string;
  warning?: boolean;
}

const look = EditorView.theme({
  "&": { fontSize: "12px", backgroundColor: "var(--surface)", color: "var(--text)" },
  ".cm-content": { fontFamily: "var(--font-mono, ui-monospace, monospace)", caretColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--sunken)", color: "var(--muted)", border: "none" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "1px" },
  ".cm-selectionBackground, &.cm-focused .cm-selectionBackground": { backgroundColor: "var(--accent-bg) !important" },
  ".cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--text)", border: "1px solid var(--border)" },
});

const colours = HighlightStyle.define([
  { tag: tags.string, color: "var(--ok-text)" },
  { tag: tags.number, color: "var(--info-text)" },
  { tag: [tags.bool, tags.null, tags.keyword], color: "var(--accent-text)" },
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--muted)" },
  { tag: tags.comment, color: "var(--muted)", fontStyle: "italic" },
]);

/** Tab is not captured: it is how keyboard users leave the editor. */
export default function CodeMirror(props: CodeEditorProps) {
  const { value, onChange, language, label, readOnly = false, problems, outside, line, className } = props;
  const shared = outside !== undefined;
  const acts = useRef(outside);
  const told = problems !== undefined;
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const changed = useRef(onChange);
  const first = useRef(value);
  useEffect(() => {
    changed.current = onChange;
    acts.current = outside;
  });
  useEffect(() => {
    if (!place.current) return;
    const nonce = getNonce();
    view.current = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          nonce ? EditorView.cspNonce.of(nonce) : [],
          lineNumbers(),
          shared ? [] : history(),
          drawSelection(),
          indentOnInput(),
          bracketMatching(),
          keymap.of([...(shared ? outsideKeys(acts) : historyKeymap), ...defaultKeymap]),
          language === "json" ? [json(), linter(jsonParseLinter())] : yaml(),
          told ? lintGutter() : [],
          syntaxHighlighting(colours),
          look,
          replacing,
          unseen,
          EditorView.lineWrapping,
          EditorState.readOnly.of(readOnly),
          EditorView.contentAttributes.of({ "aria-label": label }),
          EditorView.updateListener.of((update) => update.docChanged && changed.current(update.state.doc.toString())),
        ],
      }),
    });
    return () => view.current?.destroy();
  }, [language, readOnly, label, told, shared]);
  // A value from outside replaces the current text.
  useEffect(() => {
    first.current = value;
    const editor = view.current;
    if (!editor || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: changeTo(editor.state.doc.toString(), value) });
  }, [value]);
  useEffect(() => {
    const editor = view.current;
    if (!editor || !line || line > editor.state.doc.lines) return;
    editor.dispatch({ effects: EditorView.scrollIntoView(editor.state.doc.line(line).from, { y: "center" }) });
  }, [line]);
  useEffect(() => {
    const editor = view.current;
    if (editor && problems) editor.dispatch(setDiagnostics(editor.state, diagnostics(editor.state, problems)));
  }, [problems]);
  return (
    <div
      ref={place}
      className={cn("max-h-96 min-h-24 overflow-auto rounded-sm border border-border-strong", className)}
    />
  );
}

function outsideKeys(acts: { current?: { undo: () => void; redo: () => void } }): KeyBinding[] {
  const run = (act: "undo" | "redo") => () => {
    acts.current?.[act]();
    return true;
  };
  return [
    { key: "Mod-z", run: run("undo"), preventDefault: true },
    { key: "Mod-Shift-z", run: run("redo"), preventDefault: true },
    { key: "Mod-y", run: run("redo"), preventDefault: true },
  ];
}

/** The part of a text that differs from another, so that the cursor stays where it is. */
function changeTo(before: string, after: string): { from: number; to: number; insert: string } {
  let from = 0;
  while (from < before.length && from < after.length && before[from] === after[from]) from++;
  let end = 0;
  while (
    end < before.length - from &&
    end < after.length - from &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end++;
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
}

/** Problems as marks under the rest of their line. Those without a line stand elsewhere. */
function diagnostics({ doc }: EditorState, problems: CodeProblem[]): Diagnostic[] {
  return problems.flatMap(({ line, column = 1, message, warning }) => {
    if (!line || line > doc.lines) return [];
    const at = doc.line(line);
    const from = Math.min(at.from + Math.max(0, column - 1), at.to);
    return [{ from, to: Math.max(from, at.to), severity: warning ? "warning" : "error", message } as const];
  });
}

import { useEffect, useRef, useState } from 'react'
import { type JsonValue, sameJson } from '../../../../src-main/domain/workflow/json/value.ts'
import { useApp } from '../../../store/app-context.ts'

/** What is typed into, and how its text and its value belong together. */
export type TypingOptions = {
  readonly value: JsonValue | undefined
  readonly show: (value: JsonValue | undefined) => string
  /** The value of a text; undefined where it is none: then the document stays as it is. */
  readonly read: (text: string) => JsonValue | undefined
  /** Takes a value over, as part of one step of undo. */
  readonly write: (value: JsonValue) => void
  /** The step of undo is over. */
  readonly end: () => void
}

/** A field that is being typed into. */
export type Typing = {
  readonly text: string
  /** Whether the text is no value, so that the document still has the one before. */
  readonly isWrong: boolean
  readonly type: (text: string) => void
  /** Takes over what was typed, at once. */
  readonly flush: () => void
  /** As flush, and ends the step of undo; a text that is no value goes back to the one before. */
  readonly leave: () => void
  /** Drops what was typed since the last pause. */
  readonly cancel: () => void
}

/** Reads a text as the value that it is. */
export const asItIs = (text: string): JsonValue => text

// The canvas follows a moment after the keys: with thousands of nodes it takes longer than a key may.
const PAUSE_MS = 300

type Draft = { readonly text: string; readonly seen: JsonValue | undefined }

/** Holds what is typed until there is a pause, and lets go of it when the value changes elsewhere, as by undo. */
export function useTyping(options: TypingOptions): Typing {
  const { value, show, read } = options
  const { platform } = useApp()
  const [draft, setDraft] = useState<Draft>()
  const latest = useRef(options)
  const pending = useRef<Draft & { readonly stop: () => void }>(undefined)

  const flush = () => {
    const { value: now, read: readNow, write } = latest.current
    const typed = pending.current
    pending.current = undefined
    typed?.stop()
    // What was set elsewhere meanwhile, as by undo, is not overwritten.
    if (typed === undefined || !sameJson(typed.seen, now)) return
    const next = readNow(typed.text)
    if (next === undefined || sameJson(next, now)) return
    setDraft({ text: typed.text, seen: next })
    write(next)
  }
  const flushLater = useRef(flush)
  useEffect(() => {
    latest.current = options
    flushLater.current = flush
  })
  // A node that leaves the sight while somebody types keeps what was typed.
  useEffect(() => () => flushLater.current(), [])

  const isOurs = draft !== undefined && sameJson(draft.seen, value)
  const text = isOurs ? draft.text : show(value)
  return {
    text,
    isWrong: isOurs && read(text) === undefined,
    flush,
    type(typed) {
      pending.current?.stop()
      setDraft({ text: typed, seen: value })
      const takeOver = () => flushLater.current()
      const stopPause = platform.after(PAUSE_MS, takeOver)
      // A window that goes keeps the last keys too.
      const stopWatch = platform.onVisibility(takeOver)
      const stop = () => {
        stopPause()
        stopWatch()
      }
      pending.current = { text: typed, seen: value, stop }
    },
    leave() {
      flush()
      setDraft(undefined)
      options.end()
    },
    cancel() {
      pending.current?.stop()
      pending.current = undefined
      setDraft(undefined)
    },
  }
}

import { useEffect, useRef, useState } from 'react'
import { type JsonValue, sameJson } from '../../../../src-main/lib/json/value.ts'
import { useApp } from '../../../store/app-context.ts'

export type TypingOptions = {
  readonly value: JsonValue | undefined
  readonly show: (value: JsonValue | undefined) => string
  /** The value of a text; undefined if it is invalid: then the document does not change. */
  readonly read: (text: string) => JsonValue | undefined
  readonly write: (value: JsonValue) => void
  readonly end: () => void
}

export type Typing = ReturnType<typeof useTyping>

export const asItIs = (text: string): JsonValue => text

// Delays the canvas update: with thousands of nodes it takes longer than a key may.
const PAUSE_MS = 300

type Draft = { readonly text: string; readonly seen: JsonValue | undefined }

/** Holds the typed text until a pause, and drops it if the value changes elsewhere, as by undo. */
export function useTyping(options: TypingOptions) {
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
    // A value that was set elsewhere meanwhile, as by undo, is not overwritten.
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
  // A node that scrolls out of view while somebody types keeps the typed text.
  useEffect(() => () => flushLater.current(), [])

  const isOurs = draft !== undefined && sameJson(draft.seen, value)
  const text = isOurs ? draft.text : show(value)
  return {
    text,
    isWrong: isOurs && read(text) === undefined,
    flush,
    type(typed: string) {
      pending.current?.stop()
      setDraft({ text: typed, seen: value })
      const takeOver = () => flushLater.current()
      const stopPause = platform.after(PAUSE_MS, takeOver)
      const stopWatch = platform.onVisibility(takeOver)
      const stop = () => {
        stopPause()
        stopWatch()
      }
      pending.current = { text: typed, seen: value, stop }
    },
    /** Like flush, and ends the step of undo; an invalid text reverts to the previous one. */
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

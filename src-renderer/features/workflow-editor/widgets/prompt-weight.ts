export type Selected = { readonly text: string; readonly from: number; readonly to: number }

// In hundredths, so that 1.05 + 0.05 is 1.1. Source: the convention of ComfyUI's editors.
const STEP = 5
const NONE = 100
const WEIGHTED = /^\((.*):(\d+(?:\.\d+)?)\)$/s
const ENDS_WORD = /[\s,.:;()[\]{}<>|"]/

/**
 * @param by steps of 0.05
 * @returns undefined if nothing there can have a weight
 */
export function changeWeight(selected: Selected, by: number): Selected | undefined {
  const range = weightedAround(selected) ?? trimmed(selected) ?? wordAt(selected)
  if (range === undefined) return undefined
  const part = selected.text.slice(range.from, range.to)
  const [, inner = part, weight = '1'] = WEIGHTED.exec(part) ?? []
  const next = Math.max(0, Math.round(Number(weight) * 100) + by * STEP)
  const written = next === NONE ? inner : `(${inner}:${String(next / 100)})`
  const text = selected.text.slice(0, range.from) + written + selected.text.slice(range.to)
  return { text, from: range.from, to: range.from + written.length }
}

type Range = { readonly from: number; readonly to: number }

function weightedAround({ text, from, to }: Selected): Range | undefined {
  let depth = 0
  for (let at = from - (text[from] === '(' && to > from ? 0 : 1); at >= 0; at -= 1) {
    if (text[at] === ')' && at < from) depth += 1
    if (text[at] !== '(') continue
    if (depth > 0) {
      depth -= 1
      continue
    }
    const end = closing(text, at)
    if (end !== undefined && end >= to && WEIGHTED.test(text.slice(at, end))) return { from: at, to: end }
  }
  return undefined
}

function closing(text: string, open: number): number | undefined {
  let depth = 0
  for (let at = open; at < text.length; at += 1) {
    if (text[at] === '(') depth += 1
    if (text[at] === ')') depth -= 1
    if (depth === 0) return at + 1
  }
  return undefined
}

function trimmed({ text, from, to }: Selected): Range | undefined {
  const part = text.slice(from, to)
  if (part.trim() === '') return undefined
  return { from: from + part.length - part.trimStart().length, to: to - (part.length - part.trimEnd().length) }
}

function wordAt({ text, from: caret }: Selected): Range | undefined {
  let [from, to] = [caret, caret]
  while (from > 0 && !ENDS_WORD.test(text[from - 1] ?? ' ')) from -= 1
  while (to < text.length && !ENDS_WORD.test(text[to] ?? ' ')) to += 1
  return from === to ? undefined : { from, to }
}

import type { Context } from 'hono'

const waiting = new WeakMap<object, () => void>()
const CHECK = 'admission'

export function whenAdmitted(incoming: object, act: () => void): void {
  waiting.set(incoming, act)
}

export function noteAdmission(incoming: object | undefined): void {
  if (incoming === undefined) return
  waiting.get(incoming)?.()
  waiting.delete(incoming)
}

export function setAdmission(c: Context, check: () => void): void {
  c.set(CHECK, check)
}

export function repeatAdmission(c: Context): void {
  ;(c.get(CHECK) as (() => void) | undefined)?.()
}

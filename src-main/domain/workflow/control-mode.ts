import { asText, type JsonValue } from './json/value.ts'

// What a control widget may say: how its value changes from run to run.
const CONTROL_MODES = ['fixed', 'increment', 'decrement', 'randomize', 'increment-wrap'] as const

/** A word of a control widget. */
export type ControlMode = (typeof CONTROL_MODES)[number]

/** Whether a value is a word of a control widget. */
export function isControlMode(value: JsonValue | undefined): value is ControlMode {
  const text = asText(value)
  return text !== undefined && (CONTROL_MODES as readonly string[]).includes(text)
}

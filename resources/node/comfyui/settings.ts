import { USUAL_SERVERS } from '../../../src-main/domain/workflow/server-address.ts'

/**
 * What the environment tells the bridge; the names and what they mean without a value are the public image worker's.
 */
export type BridgeSettings = {
  /** Addresses where the server is looked for: the one of the endpoint, or the usual ones. */
  readonly servers: readonly string[]
  readonly comfyOrgKey: string | undefined
  /** Time between two looks for the server; where their number is not set, it grows. */
  readonly lookIntervalMs: number
  /** Looks for the server before a job gives up; undefined: it is looked for as long as `lookForMs`. */
  readonly lookAttempts: number | undefined
  readonly lookForMs: number
  readonly reconnectAttempts: number
  readonly reconnectDelayMs: number
  /** Without a word of the server for so long, it is asked whether the prompt has ended. */
  readonly quietMs: number
  /** A connection without a sign of life for so long counts as dead. */
  readonly silenceMs: number
  /** Looks into the history, 20 ms apart, for a prompt that has ended. */
  readonly historyLooks: number
  /** Least time between two values of progress. */
  readonly progressMs: number
  /** Larger previews are left out, in bytes. */
  readonly previewBytes: number
  /** Of all results of a job together, in bytes before base64. */
  readonly resultBytes: number
}

// The public worker waits as long as the server's process lives, which nobody sees from here. Source: ours, as a server
// with many nodes of others starts for two or three minutes on a slow disk.
const LOOK_FOR_MS = 5 * 60_000
const KIB = 1024
// A result is 20 MiB at most; base64 makes 4 bytes of 3, and names and JSON take little. Source: limits,
// resultBodyBytes.
const RESULT_BYTES = Math.floor(((20 * KIB - 64) * KIB * 3) / 4)

/** Reads the settings. A variable that is no number counts as missing. @param env like process.env */
export function readSettings(env: Readonly<Record<string, string | undefined>>): BridgeSettings {
  const server = textOf(env.SVC_WORKFLOW_SERVER)
  const number = (name: string, otherwise: number) => {
    const text = env[name]?.trim() ?? ''
    return /^\d{1,9}(\.\d+)?$/.test(text) ? Number(text) : otherwise
  }
  return {
    servers: server === undefined ? USUAL_SERVERS : [server],
    comfyOrgKey: textOf(env.COMFY_ORG_API_KEY),
    lookIntervalMs: Math.max(1, number('COMFY_API_AVAILABLE_INTERVAL_MS', 50)),
    lookAttempts: number('COMFY_API_AVAILABLE_MAX_RETRIES', 0) || undefined,
    lookForMs: LOOK_FOR_MS,
    reconnectAttempts: number('WEBSOCKET_RECONNECT_ATTEMPTS', 5),
    reconnectDelayMs: number('WEBSOCKET_RECONNECT_DELAY_S', 3) * 1000,
    quietMs: 15_000,
    silenceMs: 120_000, // a server that loads a model answers nothing for some seconds
    historyLooks: 250,
    progressMs: 200,
    previewBytes: 160 * KIB, // in base64 it stays under 256 KiB, past which the service keeps a value as a file
    resultBytes: RESULT_BYTES,
  }
}

const textOf = (value: string | undefined) => (value === undefined || value.trim() === '' ? undefined : value.trim())

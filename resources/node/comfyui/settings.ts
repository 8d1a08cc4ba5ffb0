import { USUAL_SERVERS } from '../../../src-main/features/workflows/rules/server-address.ts'

// The public worker waits while the server process lives, which is not visible here. Source: ours; custom nodes on a
// slow disk take two or three minutes.
const LOOK_FOR_MS = 5 * 60_000
const KIB = 1024
// A result is at most 20 MiB; base64 takes 4 bytes for 3, and names and JSON take little. Source: limits,
// resultBodyBytes.
const RESULT_BYTES = Math.floor(((20 * KIB - 64) * KIB * 3) / 4)

export type BridgeSettings = Readonly<ReturnType<typeof readSettings>>

/**
 * Settings from the environment; names and defaults are the public image worker's. Ignores a variable that is not a
 * number.
 */
export function readSettings(env: Readonly<Record<string, string | undefined>>) {
  const server = textOf(env.SVC_WORKFLOW_SERVER)
  const endsWithoutServer = env.SVC_WORKFLOW_SERVER_LOST === 'exit'
  const number = (name: string, otherwise: number) => {
    const text = env[name]?.trim() ?? ''
    return /^\d{1,9}(\.\d+)?$/.test(text) ? Number(text) : otherwise
  }
  return {
    servers: server === undefined ? USUAL_SERVERS : [server],
    comfyOrgKey: textOf(env.COMFY_ORG_API_KEY),
    lookIntervalMs: Math.max(1, number('COMFY_API_AVAILABLE_INTERVAL_MS', 50)),
    /** Whether the worker ends when its server is gone, so that its job goes to another server at once. */
    endsWithoutServer,
    /** Attempts before a job fails; undefined: as many as fit into `lookForMs`. */
    lookAttempts: number('COMFY_API_AVAILABLE_MAX_RETRIES', endsWithoutServer ? 2 : 0) || undefined,
    lookForMs: LOOK_FOR_MS,
    reconnectAttempts: number('WEBSOCKET_RECONNECT_ATTEMPTS', endsWithoutServer ? 2 : 5),
    reconnectDelayMs: number('WEBSOCKET_RECONNECT_DELAY_S', endsWithoutServer ? 1 : 3) * 1000,
    quietMs: 15_000,
    silenceMs: 120_000, // a server that loads a model does not answer for a few seconds
    /** Reads of the history, 20 ms apart, for an ended prompt. */
    historyLooks: 250,
    progressMs: 200,
    previewBytes: 160 * KIB, // in base64 it stays below 256 KiB, above which the service stores a value as a file
    /** Total of a job's results, in bytes before base64. */
    resultBytes: RESULT_BYTES,
  }
}

const textOf = (value: string | undefined) => (value === undefined || value.trim() === '' ? undefined : value.trim())

import { isArray, isObject, type JsonObject, type JsonValue } from '../../../../src-main/domain/workflow/json/value.ts'
import { askJson, type ComfyServer } from '../server/comfy-server.ts'

// Source: worker-comfyui, handler.py.
const HISTORY_MS = 30_000

/** Where a prompt is. */
export type PromptPlace = 'pending' | 'running' | 'ended' | 'unknown'

/**
 * The record of a prompt that has ended; undefined where the server has none. @throws what fetch throws, BridgeFailure
 */
export async function readHistory(
  server: ComfyServer,
  promptId: string,
  signal: AbortSignal,
): Promise<JsonObject | undefined> {
  const path = `history/${encodeURIComponent(promptId)}`
  const record = (await askJson(server, { path, timeoutMs: HISTORY_MS, signal })).get(promptId)
  return isObject(record) ? record : undefined
}

/** Whether a prompt waits or runs on the server; undefined where it does neither. @throws as above */
export async function placeInQueue(
  server: ComfyServer,
  promptId: string,
  signal: AbortSignal,
): Promise<'pending' | 'running' | undefined> {
  const queue = await askJson(server, { path: 'queue', timeoutMs: HISTORY_MS, signal })
  if (names(queue.get('queue_running'), promptId)) return 'running'
  return names(queue.get('queue_pending'), promptId) ? 'pending' : undefined
}

/** Where a prompt is. @throws as above */
export async function findPrompt(server: ComfyServer, promptId: string, signal: AbortSignal): Promise<PromptPlace> {
  // The queue first: what leaves it between the two looks is in the history then.
  const place = await placeInQueue(server, promptId, signal)
  if (place !== undefined) return place
  return (await readHistory(server, promptId, signal)) === undefined ? 'unknown' : 'ended'
}

// An entry is [number, id, prompt, ...].
function names(list: JsonValue | undefined, promptId: string): boolean {
  return isArray(list) && list.some((entry) => isArray(entry) && entry[1] === promptId)
}

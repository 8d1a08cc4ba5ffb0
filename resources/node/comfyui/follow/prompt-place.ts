import { isArray, isObject, type JsonObject, type JsonValue } from '../../../../src-main/lib/json/value.ts'
import { networkReason } from '../../../../src-main/lib/network-error.ts'
import { askJson, askText, type ComfyServer } from '../server/comfy-server.ts'

// ms to read the history. Source: worker-comfyui, handler.py.
const HISTORY_MS = 30_000
// Total limit in ms: more than a busy server needs, and less than the 5 s in which a cancelled job has to end.
const INTERRUPT_MS = 4000

export type PromptPlace = 'pending' | 'running' | 'ended' | 'unknown'

export async function readHistory(
  server: ComfyServer,
  promptId: string,
  signal: AbortSignal,
): Promise<JsonObject | undefined> {
  const path = `history/${encodeURIComponent(promptId)}`
  const record = (await askJson(server, { path, timeoutMs: HISTORY_MS, signal })).get(promptId)
  return isObject(record) ? record : undefined
}

async function placeInQueue(
  server: ComfyServer,
  promptId: string,
  signal: AbortSignal,
): Promise<'pending' | 'running' | undefined> {
  const queue = await askJson(server, { path: 'queue', timeoutMs: HISTORY_MS, signal })
  if (names(queue.get('queue_running'), promptId)) return 'running'
  return names(queue.get('queue_pending'), promptId) ? 'pending' : undefined
}

export async function findPrompt(server: ComfyServer, promptId: string, signal: AbortSignal): Promise<PromptPlace> {
  // The queue first: a prompt that leaves it between the two reads is then in the history.
  const place = await placeInQueue(server, promptId, signal)
  if (place !== undefined) return place
  return (await readHistory(server, promptId, signal)) === undefined ? 'unknown' : 'ended'
}

function names(list: JsonValue | undefined, promptId: string): boolean {
  return isArray(list) && list.some((entry) => isArray(entry) && entry[1] === promptId)
}

export async function interruptPrompt(
  server: ComfyServer,
  promptId: string,
  log: (line: string) => void,
): Promise<void> {
  const signal = AbortSignal.timeout(INTERRUPT_MS)
  const post = (path: string, body: object) =>
    askText(server, { path, body: JSON.stringify(body), timeoutMs: INTERRUPT_MS, signal })
  try {
    await post('queue', { delete: [promptId] })
    // Older servers interrupt the running prompt, whichever is named.
    if ((await placeInQueue(server, promptId, signal)) === 'running') await post('interrupt', { prompt_id: promptId })
  } catch (error) {
    log(`ComfyUI at ${server.host} could not be stopped: ${networkReason(error)}`)
  }
}

import { networkReason } from '../../../../src-main/lib/network-error.ts'
import { askText, type ComfyServer } from '../server/comfy-server.ts'
import { placeInQueue } from './prompt-place.ts'

// Total limit in ms: more than a busy server needs, and less than the 5 s in which a cancelled job has to end.
const INTERRUPT_MS = 4000

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

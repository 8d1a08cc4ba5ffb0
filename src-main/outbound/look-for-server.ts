/**
 * Looks whether a ComfyUI answers. Anything may listen at its usual ports, so little is read and no redirect is
 * followed.
 */
import { z } from 'zod'
import type { WorkflowServer } from '../contract/workflows.ts'
import { comfyRequest, readUpTo } from './comfy-request.ts'

// On this machine; one that computes answers later, and is found at the next look.
const TIMEOUT_MS = 1000
// It says less than 2 KiB with one card.
const MOST_BYTES = 64 * 1024

const word = z.string().transform((text) => text.slice(0, 100))

// What ComfyUI 0.3 answers, of which old ones lack the version.
const systemStats = z.object({
  system: z.object({ comfyui_version: word.optional(), python_version: z.string() }),
  devices: z
    .array(z.object({ name: word, type: word, vram_total: z.number().nonnegative().optional() }))
    .transform((devices) => devices.slice(0, 16)),
})

/** Reads `GET /system_stats`, and nothing else. @param timeoutMs for all of it */
export async function lookForServer(
  address: string,
  signal: AbortSignal,
  timeoutMs = TIMEOUT_MS,
): Promise<WorkflowServer | undefined> {
  const { url, headers } = comfyRequest(address, 'system_stats')
  try {
    const until = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    const answer = await fetch(url, { headers, redirect: 'manual', signal: until })
    const text = await readUpTo(answer, MOST_BYTES)
    if (answer.status !== 200 || text === undefined) return undefined
    return toServer(address, systemStats.parse(JSON.parse(text)))
  } catch {
    return undefined // Nobody is there, or somebody else: who looks need not know which.
  }
}

function toServer(address: string, { system, devices }: z.infer<typeof systemStats>): WorkflowServer {
  const { comfyui_version: version } = system
  return {
    address,
    ...(version === undefined ? {} : { version }),
    devices: devices.map(({ name, type, vram_total: memoryBytes }) => ({
      name,
      type,
      ...(memoryBytes === undefined ? {} : { memoryBytes }),
    })),
  }
}

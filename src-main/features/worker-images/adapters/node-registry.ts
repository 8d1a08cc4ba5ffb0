import { z } from 'zod'
import { networkReason } from '../../../lib/network-error.ts'
import type { LockPorts } from '../ports.ts'

export const NODE_REGISTRY = 'https://api.comfy.org'

const TIMEOUT_MS = 30_000
const MOST_BYTES = 1024 * 1024

const install = z.object({
  version: z.string().regex(/^\d[\w.+-]{0,39}$/),
  downloadUrl: z
    .string()
    .regex(/^https?:\/\/[^\s/@]+\/\S+$/)
    .optional()
    .catch(undefined),
  dependencies: z.array(z.string().min(1).max(1000)).nullish(),
})
const node = z.object({ license: z.string().max(1000).nullish() })

export function createNodeRegistry(address: string): LockPorts['registry'] {
  async function ask<Schema extends z.ZodType>(schema: Schema, path: string, signal: AbortSignal | undefined) {
    const timeout = AbortSignal.timeout(TIMEOUT_MS)
    const until = signal === undefined ? timeout : AbortSignal.any([signal, timeout])
    try {
      const response = await fetch(new URL(path, address), { signal: until, redirect: 'error' })
      if (response.status === 404) return undefined
      if (!response.ok) throw new Error(`it answered with ${response.status}`)
      const text = await response.text()
      if (text.length > MOST_BYTES) throw new Error('its answer is too large')
      return schema.parse(JSON.parse(text)) as z.infer<Schema>
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof z.ZodError || error instanceof SyntaxError)
        throw new Error('its answer is not that of a node registry', { cause: error })
      throw new Error(networkReason(error), { cause: error })
    }
  }

  return {
    async find(id, version, signal) {
      const at = `/nodes/${encodeURIComponent(id)}`
      const query = version === undefined ? '' : `?version=${encodeURIComponent(version)}`
      const found = await ask(install, `${at}/install${query}`, signal)
      if (found === undefined) return undefined
      const { license } = (await ask(node, at, signal)) ?? {}
      return {
        version: found.version,
        download: found.downloadUrl,
        requirements: found.dependencies ?? [],
        licence: licenceText(license),
      }
    },
  }
}

function licenceText(text: string | null | undefined): string | undefined {
  const inner = /"text"\s*:\s*"([^"]{1,200})"/.exec(text ?? '')?.[1]
  return inner ?? (text && !/^\s*\{/.test(text) ? text : undefined)
}

/**
 * Calls between pages and desktop, parsed with these schemas; everything else uses HTTP, as in a browser. The preload
 * exposes only DesktopBridge.
 */
import { z } from 'zod'
import type { BridgeCall } from './bridge-channels.ts'

const path = z.string().min(1).max(4096)

const pick = {
  argument: z.strictObject({ title: z.string().min(1).max(200), from: path.optional() }),
  response: path.optional().describe('missing: the person chose none'),
} as const

export const BRIDGE_CALLS = {
  facts: {
    argument: z.undefined(),
    response: z.object({ version: z.string(), platform: z.string().describe('as Node names it, like darwin') }),
  },
  pickFile: pick,
  pickFolder: pick,
  revealFile: {
    argument: z.strictObject({ path }),
    response: z.boolean().describe('false: there is no such file, or it is not on this machine'),
  },
  // The key stays with the desktop, which opens a sign-in link in the window, as at startup.
  signIn: { argument: z.undefined(), response: z.boolean().describe('false: no service is up') },
} as const satisfies Record<BridgeCall, { readonly argument: z.ZodType; readonly response: z.ZodType }>

export const desktopNotice = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('service-ended'),
    why: z.string(),
    restartInMs: z.number().int(),
    crashes: z.number().int().describe('within the last minutes, this one counted'),
    looping: z.boolean().describe('it ended so many times that somebody should look into it'),
  }),
  z.object({ kind: z.literal('service-refused'), why: z.string() }),
  z.object({ kind: z.literal('service-restarted') }),
  z.object({ kind: z.literal('update-ready'), version: z.string() }),
  z.object({
    kind: z.literal('link-refused'),
    address: z.string(),
    why: z.string().optional().describe('missing: the address is of none that leave the window'),
  }),
])

export type DesktopNotice = z.infer<typeof desktopNotice>

/** The desktop as pages see it; undefined in a browser. */
export type DesktopBridge = {
  readonly [Call in BridgeCall]: (
    argument: z.infer<(typeof BRIDGE_CALLS)[Call]['argument']>,
  ) => Promise<z.infer<(typeof BRIDGE_CALLS)[Call]['response']>>
} & {
  readonly onNotice: (listener: (notice: DesktopNotice) => void) => () => void
}

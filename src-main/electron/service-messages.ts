/** What the desktop and the process of its service tell each other. */
import { z } from 'zod'

/** How to start the service: the first argument of its process, as JSON. */
export const serviceArguments = z.strictObject({
  data: z.string().min(1),
  port: z.number().int().min(0).max(65_535).optional(),
  /** How previews are started: Electron's own program runs no scripts. */
  commandLine: z.strictObject({ program: z.string(), args: z.array(z.string()) }).optional(),
})

/** How to start the service. */
export type ServiceArguments = z.infer<typeof serviceArguments>

/** What the service tells. */
export const serviceMessage = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready'), url: z.string() }),
  z.object({
    kind: z.literal('refused'),
    reason: z.enum(['locked', 'port-taken', 'address', 'data']),
    why: z.string(),
  }),
])

/** What the service tells. */
export type ServiceMessage = z.infer<typeof serviceMessage>

/** Asks the service to stop in order; the process ends when it has. */
export const STOP = 'stop'

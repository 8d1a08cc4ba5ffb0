import { z } from 'zod'
import { deployedEndpoint, RUNS_ON, releaseStep } from './app.ts'
import { logLine } from './management.ts'

const problem = z.object({
  code: z.string(),
  message: z.string(),
  file: z.string().optional(),
  line: z.number().int().optional(),
})
const number = z.number().int()
const names = z.array(z.string()).readonly()
const answers = number.optional().describe('the release that keeps answering; missing: none does')

export const previewEvent = z.discriminatedUnion('event', [
  z
    .object({
      event: z.literal('up'),
      app: z.string(),
      environment: z.string(),
      url: z.string(),
      data: z.string(),
      keyFile: z.string(),
    })
    .describe('the service answers; nothing is built yet'),
  z
    .object({ event: z.literal('variables'), names, leftOut: names })
    .describe('names from .env that workers get, and those that they do not'),
  z
    .object({ event: z.literal('preparing'), release: number, steps: z.array(releaseStep).readonly() })
    .describe('a release is not ready yet; sent when there is progress'),
  z.object({
    event: z.literal('live'),
    release: number,
    tookMs: z.number().describe('from the save to the moment in which the new code answers'),
    files: names.describe('that changed; none for the first release'),
    because: z.enum(['code', 'variables']),
    runsOn: z.enum(RUNS_ON),
    warnings: names,
    endpoints: z.array(deployedEndpoint).readonly(),
    changed: number.describe('how many endpoints the change concerns'),
    appFile: z.string().optional().describe('of SDK 2.0: the file that declares the App'),
  }),
  z
    .object({ event: z.literal('as before'), release: number })
    .describe('the source is again what answers already, after an error'),
  z.object({ event: z.literal('build failed'), problems: z.array(problem).readonly(), answers }),
  z.object({
    event: z.literal('release failed'),
    release: number.optional().describe('missing: it could not even begin'),
    why: z.string(),
    answers,
  }),
  z.object({ event: z.literal('given up'), release: number }).describe('it was not ready in time for a newer save'),
  z.object({ event: z.literal('warning'), message: z.string() }),
  z.object({ event: z.literal('log'), endpoint: z.string(), line: logLine }),
  z.object({ event: z.literal('stopping') }),
  z.object({
    event: z.literal('ended'),
    left: z.string().optional().describe('what could not be removed on its machine, for a person'),
  }),
])

export type PreviewEvent = Readonly<z.infer<typeof previewEvent>>

/** Modes in which public SDK workers never ask for jobs. Source: observed, 1.12. */
import type { EndpointConfig } from '../../../contract/endpoint.ts'
import { splitWords } from '../../../lib/text.ts'

export type Started = Partial<Pick<EndpointConfig, 'command' | 'env'>> & {
  readonly container?: Pick<NonNullable<EndpointConfig['container']>, 'entrypoint' | 'args'> | undefined
}

const SERVES = 'the worker runs its own test server and never asks for jobs'

const FLAGS = {
  '--rp_serve_api': `${SERVES}: remove --rp_serve_api`,
  '--test_input': 'the worker runs one test input, ends and never asks for jobs: remove --test_input',
} as const

const REALTIME = `${SERVES}: remove RUNPOD_REALTIME_PORT from its environment`
const NO_CONCURRENCY =
  'the concurrency_modifier of the worker returns 0, so that it never asks for jobs: return at least 1'

export function hasFlag({ command = '', container }: Started, flag: string): boolean {
  const words = [...(splitWords(command) ?? []), ...(container?.entrypoint ?? []), ...(container?.args ?? [])]
  return words.some((word) => word === flag || word.startsWith(`${flag}=`))
}

export function testModeOf(started: Started): string | undefined {
  const flag = Object.entries(FLAGS).find(([name]) => hasFlag(started, name))
  if (flag !== undefined) return flag[1]
  return Number(started.env?.RUNPOD_REALTIME_PORT ?? 0) > 0 ? REALTIME : undefined
}

const CONCURRENCY = /^JobScaler\.set_scale \| New concurrency set to: (\d+)/

/** @returns `neverAsks` undefined: it requests jobs from now on; undefined: no information */
export function readTestMode(line: string): { readonly neverAsks: string | undefined } | undefined {
  if (line === 'Starting API server.') return { neverAsks: FLAGS['--rp_serve_api'] }
  if (line.startsWith('Starting API server for realtime on port ')) return { neverAsks: REALTIME }
  if (line === 'test_input set, using test_input as job input.') return { neverAsks: FLAGS['--test_input'] }
  const concurrency = CONCURRENCY.exec(line)?.[1]
  if (concurrency === undefined) return undefined
  return { neverAsks: Number(concurrency) === 0 ? NO_CONCURRENCY : undefined }
}

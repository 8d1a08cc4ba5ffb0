/**
 * Target client using the platform tools' APIs: GraphQL at /graphql, management at /v2. Reads are retried; writes are
 * sent once, as only their response may be lost.
 */
import { type ZodType, z } from 'zod'
import { AppError } from '../../contract/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { keepEnds, withFullStop } from '../../lib/text.ts'
import { wait } from '../../lib/wait.ts'
import type { ReadsJobs } from '../jobs/ports/readers.ts'
import type { SendToTarget, TargetRequest } from './ports.ts'

export type TargetClientDeps = ReadsJobs & { readonly send: SendToTarget; readonly clock: Clock }

export type TargetAccess = { readonly url: string; readonly key: string }

export type TargetClient = ReturnType<typeof createTargetClient>

type GraphQLQuery<Value> = {
  readonly text: string
  readonly variables?: object
  readonly schema: ZodType<Value>
  readonly writes?: true
}

// Tries of reads, and the first pause in ms, doubled each time: 0.5 + 1 + 2 s. Source: the public tool tries four
// times.
const TRIES = 4
const AGAIN_AFTER_MS = 500
const PASSING = new Set([429, 502, 503, 504])

const answer = z.object({
  data: z.unknown().optional(),
  errors: z.array(z.object({ message: z.string() })).optional(),
})

export function createTargetClient(
  { send, clock, readInThread }: TargetClientDeps,
  { url, key }: TargetAccess,
  signal: AbortSignal,
) {
  const trustedHost = new URL(url).host
  const refused = (why: string) => {
    // The target knows the key and might echo it.
    const told = key.length < SHORTEST_HIDDEN ? why : why.replaceAll(key, '(key)')
    return new AppError('TARGET_REFUSED', { url, why: withFullStop(keepEnds(told, REASON_AT_MOST)) })
  }

  async function bare(request: Pick<TargetRequest, 'url' | 'method' | 'headers' | 'body'>) {
    try {
      return await send({ ...request, trustedHost, signal })
    } catch (error) {
      signal.throwIfAborted()
      throw new AppError('TARGET_UNREACHABLE', { url, why: (error as Error).message }, { cause: error })
    }
  }

  async function pauseFor(ms: number): Promise<void> {
    await wait(clock, { ms, signal, listen: () => () => undefined })
    signal.throwIfAborted()
  }

  const pause = (failed: number) => pauseFor(AGAIN_AFTER_MS * 2 ** (failed - 1))

  async function ask(method: string, path: string, body: string | undefined, tries: number) {
    const headers = { authorization: `Bearer ${key}`, accept: 'application/json', 'content-type': 'application/json' }
    for (let failed = 1; ; failed++) {
      try {
        const response = await bare({ url: url + path, method, headers, ...(body === undefined ? {} : { body }) })
        if (!PASSING.has(response.status) || failed >= tries) return response
      } catch (error) {
        if (failed >= tries || signal.aborted) throw error
      }
      await pause(failed)
    }
  }

  async function parsed(status: number, text: string): Promise<unknown> {
    if (status === 401 || status === 403) throw refused(`the key is wrong, or may not do this (HTTP ${status})`)
    if (status >= 300 && status < 400) throw refused(`it redirects to another address (HTTP ${status})`)
    const read = await readInThread.value(text)
    if ('problem' in read)
      throw refused(`its answer with HTTP ${status} cannot be read: ${read.problem}. Check the address`)
    return read.value
  }

  return {
    url,
    bare,
    pause,
    pauseFor,
    /**
     * GraphQL query; undefined if not found.
     * @throws AppError TARGET_UNREACHABLE, TARGET_REFUSED
     */
    async query<Value>({ text, variables, schema, writes }: GraphQLQuery<Value>): Promise<Value | undefined> {
      const body = JSON.stringify({ query: text, variables })
      const response = await ask('POST', '/graphql', body, writes ? 1 : TRIES)
      const { data: read } = answer.safeParse(await parsed(response.status, response.text))
      const problem = read?.errors?.[0]?.message
      // The platform's tools take these words as "does not exist".
      if (problem !== undefined && /not found/i.test(problem) && !writes) return undefined
      if (problem !== undefined) throw refused(problem)
      const { data, success } = schema.safeParse(read?.data)
      if (!success) throw refused(`it did not answer like the platform (HTTP ${response.status}). Check the address`)
      return data
    },
    async rest<Value>(
      method: 'GET' | 'DELETE' | 'POST' | 'PATCH',
      path: string,
      schema: ZodType<Value>,
      body?: object,
    ): Promise<Value | undefined> {
      const json = body === undefined ? undefined : JSON.stringify(body)
      const { status, text } = await ask(method, `/v2${path}`, json, body === undefined ? TRIES : 1)
      if (status === 404) return undefined
      const value = text === '' ? undefined : await parsed(status, text)
      if (status >= 400) throw refused(detailOf(value) ?? `${method} ${path} failed (HTTP ${status})`)
      const { data, success } = schema.safeParse(value)
      if (!success) throw refused(`its answer to ${method} ${path} does not match the platform's API`)
      return data
    },
  }
}

const problem = z.looseObject({ detail: z.string() })

const detailOf = (value: unknown) => problem.safeParse(value).data?.detail

// Keys are longer than this; a shorter text could be an ordinary word of a sentence.
const SHORTEST_HIDDEN = 8
// Maximum length of a target's reason that is passed on, in characters.
const REASON_AT_MOST = 2000

/** Records who changed what, for the audit log. Reads and small steps are not recorded. Source: ours. */
import type { Context } from 'hono'
import { AppError, errorBody } from '../contract/errors.ts'
import { limit } from '../contract/limits.ts'
import type { Route } from '../contract/routes.ts'
import type { Caller } from '../features/keys/keys.ts'
import type { ServiceBase } from '../features/service-context.ts'
import { addressOf } from './guards.ts'
import { shownTo } from './operation.ts'

type Change = { readonly c: Context; readonly caller: Caller; readonly operation: string; readonly target: string }

// Ids and names; the rest of a body may be long or secret.
const TARGET_LENGTH = 200
const NAMED_BY = ['id', 'name', 'app', 'environment'] as const

/** Answers a route once its change is on disk. Records the change, also if it fails, with that status. */
export async function answerAudited(
  service: ServiceBase,
  change: Omit<Change, 'target'> & { readonly row: Route; readonly request: { readonly body?: unknown } },
  act: () => unknown,
): Promise<Response> {
  const { c, caller, row, request } = change
  const isRead = c.req.method === 'GET' || c.req.method === 'HEAD'
  const answer =
    row.isStep === true || isRead
      ? await act()
      : await noted(service, { ...change, target: targetOf(c, request.body) }, act)
  await service.storage.durable()
  if (answer instanceof Response) return answer
  if (row.status === 204) return c.body(null, 204)
  return c.json(shownTo(caller, answer) as object, row.status ?? 200)
}

export async function noted<Answer>(
  { storage, clock, log }: Pick<ServiceBase, 'storage' | 'clock' | 'log'>,
  { c, caller, operation, target }: Change,
  act: () => Answer | Promise<Answer>,
): Promise<Answer> {
  let status = 500
  try {
    const answer = await act()
    status = answer instanceof Response ? answer.status : 200
    return answer
  } catch (error) {
    if (error instanceof AppError) status = errorBody(error).status
    throw error
  } finally {
    const from = addressOf(c)
    const entry = { at: clock.now(), key: caller.name ?? caller.holder, operation, target, status }
    const write = () => storage.keys.record({ ...entry, ...(from && { from }) }, limit('auditEntries'))
    // The change is done: a failure to record it must not fail the response.
    await storage.write(write).catch((error: unknown) => log.error('change not noted', { operation, error }))
  }
}

export function targetOf(c: Context, body: unknown): string {
  const given = typeof body === 'object' && body !== null ? (body as Readonly<Record<string, unknown>>) : {}
  const named = NAMED_BY.map((name) => given[name]).filter((value) => typeof value === 'string')
  return [...new Set([...Object.values(c.req.param()), ...named])].join(' ').slice(0, TARGET_LENGTH)
}

import type { Context } from 'hono'
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import { shellInput, shellSize } from '../../contract/shell.ts'
import { SHELL_ROUTES } from '../../contract/shell-routes.ts'
import type { ServiceContext } from '../../services/service-context.ts'
import type { Shell } from '../../services/workers/open-shell.ts'
import { followAsEvents } from '../follow.ts'
import { readJson } from '../read-body.ts'
import { queryValue } from '../v2/operation.ts'
import type { AppHandler } from './app-handler.ts'
import { workerOf } from './workers.ts'

const ID_LENGTH = 50
const DONE = { ok: true } as const

function shellOf(c: Context, { shells }: ServiceContext): Shell {
  const shellId = c.req.param('shellId') ?? ''
  const shell = shells.get(shellId)
  if (shell === undefined) throw new AppError('SHELL_NOT_FOUND', { shellId: shellId.slice(0, ID_LENGTH) })
  return shell
}

const bodyOf = async (c: Context) => (await readJson(c, limit('managementBodyBytes'), 'this operation')).value

// A shell that has ended takes nothing: what is typed then would be lost without a word.
function openShellOf(c: Context, service: ServiceContext): Shell {
  const shell = shellOf(c, service)
  if (shell.hasEnded()) throw new AppError('SHELL_NOT_FOUND', { shellId: shell.id })
  return shell
}

function follow(c: Context, { stopping }: ServiceContext, shell: Shell, after: number): Response {
  const leave = shell.look()
  const { signal } = c.req.raw
  if (signal.aborted) leave()
  else signal.addEventListener('abort', leave)
  let seen = after
  let told = false
  return followAsEvents(c, {
    bell: shell.bell,
    stopping,
    read() {
      const piece = shell.read(seen)
      const isNews = piece.end > seen || piece.ended !== undefined
      if (told || !isNews) return { items: [], more: false, end: told }
      seen = piece.end
      told = piece.ended !== undefined
      return { items: [{ id: seen, event: 'output', data: JSON.stringify(piece) }], more: told }
    },
  })
}

/** Shells in the containers of workers: opened, read, typed into, closed. */
export const SHELL_OPERATIONS = {
  async shellOpen(c, service) {
    const worker = workerOf(c, service)
    const { id, program } = await service.shells.open(worker, shellSize.parse(await bodyOf(c)))
    return c.json({ shellId: id, program })
  },
  shellOutput(c, service) {
    const { query } = SHELL_ROUTES.shellOutput
    const shell = shellOf(c, service)
    const after = queryValue(c, 'after', query.after) ?? 0
    if (queryValue(c, 'follow', query.follow) === 'true') return follow(c, service, shell, after)
    return c.json(shell.read(after))
  },
  async shellInput(c, service) {
    const shell = openShellOf(c, service)
    await shell.write(shellInput.parse(await bodyOf(c)).text)
    return c.json(DONE)
  },
  async shellResize(c, service) {
    const shell = openShellOf(c, service)
    await shell.resize(shellSize.parse(await bodyOf(c)))
    return c.json(DONE)
  },
  async shellClose(c, service) {
    await shellOf(c, service).close('it was closed')
    return c.json(DONE)
  },
} as const satisfies Record<string, AppHandler>

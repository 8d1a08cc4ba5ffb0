import type { Context } from 'hono'
import { AppError } from '../../../contract/errors.ts'
import { DONE, type ManagementOperations } from '../../../http/operation.ts'
import { followAsEvents } from '../../../http/send-response.ts'
import { endpointOf } from '../../endpoints/routes.ts'
import type { ServiceBase, ServiceContext } from '../../service-context.ts'
import type { LiveWorker } from '../registry/worker-registry.ts'
import { isLive } from '../rules/transitions.ts'
import type { Shell } from '../shells.ts'

type Services = ServiceBase & Pick<ServiceContext, 'registry' | 'replacement' | 'shells'>

const ID_LENGTH = 50

function workerOf({ workerId }: { readonly workerId: string }, { registry }: Services): LiveWorker {
  const worker = registry.get(workerId)
  if (worker === undefined) throw new AppError('WORKER_NOT_FOUND', { workerId: workerId.slice(0, ID_LENGTH) })
  return worker
}

export const WORKER_OPERATIONS = {
  workerReplace({ path }, service) {
    const worker = workerOf(path, service)
    if (!isLive(worker.state)) {
      const { id: workerId, reason: why = 'it was asked to' } = worker
      throw new AppError('WORKER_LEAVES', { workerId, why })
    }
    return { order: service.replacement.begin(worker) }
  },
  endpointReplaceWorkers: ({ path }, service) => ({
    workers: [...service.replacement.beginAll(endpointOf(path, service).id)],
  }),
} as const satisfies Partial<ManagementOperations<Services>>

function shellOf({ shellId }: { readonly shellId: string }, { shells }: Services): Shell {
  const shell = shells.get(shellId)
  if (shell === undefined) throw new AppError('SHELL_NOT_FOUND', { shellId: shellId.slice(0, ID_LENGTH) })
  return shell
}

// An ended shell takes no input: typed text would be lost silently.
function openShellOf(path: { readonly shellId: string }, service: Services): Shell {
  const shell = shellOf(path, service)
  if (shell.hasEnded()) throw new AppError('SHELL_NOT_FOUND', { shellId: shell.id })
  return shell
}

function follow(c: Context, { stopping }: Services, shell: Shell, after: number): Response {
  const leave = shell.watch()
  const { signal } = c.req.raw
  if (signal.aborted) leave()
  else signal.addEventListener('abort', leave)
  let seen = after
  let hasSent = false
  return followAsEvents(c, {
    notifier: shell.notifier,
    stopping,
    read() {
      const piece = shell.read(seen)
      const isNews = piece.end > seen || piece.ended !== undefined
      if (hasSent || !isNews) return { items: [], more: false, end: hasSent }
      seen = piece.end
      hasSent = piece.ended !== undefined
      return { items: [{ id: seen, event: 'output', data: JSON.stringify(piece) }], more: hasSent }
    },
  })
}

export const SHELL_OPERATIONS = {
  async shellOpen({ path, body }, service) {
    const { id, program } = await service.shells.open(workerOf(path, service), body)
    return { shellId: id, program }
  },
  shellOutput({ c, path, query }, service) {
    const shell = shellOf(path, service)
    const after = query.after ?? 0
    if (query.follow === 'true') return follow(c, service, shell, after)
    return shell.read(after)
  },
  async shellInput({ path, body }, service) {
    await openShellOf(path, service).write(body.text)
    return DONE
  },
  async shellResize({ path, body }, service) {
    await openShellOf(path, service).resize(body)
    return DONE
  },
  async shellClose({ path }, service) {
    await shellOf(path, service).close('it was closed')
    return DONE
  },
} as const satisfies Partial<ManagementOperations<Services>>

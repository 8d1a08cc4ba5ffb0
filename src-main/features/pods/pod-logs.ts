import type { WorkerLine } from '../../contract/log-query.ts'
import { createEmitter } from '../../lib/emitter.ts'
import { createNotifier } from '../../lib/wait.ts'
import type { PodContainers } from '../../runtimes/port.ts'
import { ownSecrets } from '../apps/variables.ts'
import { accountSecretValues } from '../keys/account-secrets.ts'
import { registryCredentials } from '../registries/registries.ts'
import type { ServiceContext } from '../service-context.ts'
import { createMask } from '../workers/rules/log-lines.ts'
import type { PodRow } from './rules.ts'

export type PodLinesWish = {
  readonly sources: readonly WorkerLine['source'][]
  readonly tail: number
  readonly since: string | undefined
  readonly follow: boolean
  readonly until: readonly AbortSignal[]
}

// Unread lines of one reader; older ones are dropped. Source: ours.
const MOST_WAITING = 10_000

const lineOf = (source: WorkerLine['source'], line: string, at: number): WorkerLine => ({
  ...{ source, line, ts: new Date(at).toISOString() },
})

export function createPodLogs({ storage, clock, log }: Pick<ServiceContext, 'storage' | 'clock' | 'log'>) {
  const noted = createEmitter<[podId: string]>()
  const secrets = new Map<string, ReadonlySet<string>>()

  /** Old values stay masked, as the container keeps the variables that it started with. */
  function learnSecrets({ id, settings }: Pick<PodRow, 'id' | 'settings'>): ReadonlySet<string> {
    const { env, registry } = settings
    const password = registry === null ? undefined : registryCredentials(storage, registry)?.password
    const own = new Set([...(secrets.get(id) ?? []), ...ownSecrets(env), ...(password === undefined ? [] : [password])])
    secrets.set(id, own)
    return own
  }

  const maskOf = (row: PodRow) => createMask([...accountSecretValues(storage), ...learnSecrets(row)])

  return {
    learnSecrets,
    note(id: string, text: string): void {
      const row = storage.pods.get(id)
      if (row === undefined) return
      const [at, line] = [clock.now(), maskOf(row)(text)]
      storage
        .write(() => storage.pods.addEvent(id, at, line))
        .then(() => noted.emit(id))
        .catch((error: Error) => log.warn('an event of a pod was not stored', { pod: id, why: error.message }))
    },
    forget: (id: string): void => void secrets.delete(id),
    /**
     * Lines of a pod until its container ends; without `follow` the newest so far, by time.
     * @param started settles once a start in progress has ended
     */
    read(
      containers: PodContainers,
      row: PodRow,
      { started, sources, follow, until, ...wish }: PodLinesWish & { readonly started: Promise<void> | undefined },
    ) {
      const { id } = row
      const mask = maskOf(row)
      const notifier = createNotifier(clock)
      const waiting: WorkerLine[] = []
      let isOver = false
      const closing = Promise.withResolvers<void>()
      const close = () => closing.resolve()
      for (const signal of until) signal.addEventListener('abort', close)
      const push = (lines: readonly WorkerLine[]) => {
        const wanted = lines.filter(({ source }) => sources.includes(source))
        waiting.push(...wanted.map(({ source, line, ts }) => ({ source, line: mask(line), ts })))
        if (waiting.length > MOST_WAITING) waiting.splice(0, waiting.length - MOST_WAITING)
        notifier.notify()
      }
      let seen = 0
      const pushEvents = (most = Number.POSITIVE_INFINITY) => {
        const events = storage.pods.eventsAfter(id, seen)
        seen = events.at(-1)?.seq ?? seen
        push(events.slice(-most).map(({ line, at }) => lineOf('system', line, at)))
      }
      pushEvents(wish.tail)
      const leave = noted.on((podId) => {
        if (podId === id && follow) pushEvents()
      })
      async function run(): Promise<void> {
        if (follow) await Promise.race([started, closing.promise])
        const onLines: Parameters<PodContainers['follow']>[1]['onLines'] = (lines) =>
          push(lines.map(({ text, at }) => lineOf('container', text, at)))
        const follower = await containers.follow(id, { ...wish, follow, onLines })
        await Promise.race([follower.ended, closing.promise])
        follower.stop()
      }
      // A pod that never started has no container.
      void run()
        .catch((error: Error) => log.info('the log of a pod was not read', { pod: id, why: error.message }))
        .finally(() => {
          leave()
          for (const signal of until) signal.removeEventListener('abort', close)
          if (!follow) {
            waiting.sort((a, b) => Date.parse(a.ts) - Date.parse(b.ts))
            waiting.splice(0, waiting.length - wish.tail)
          }
          isOver = true
          notifier.notify()
        })
      return { notifier, read: () => ({ end: isOver, lines: follow || isOver ? waiting.splice(0) : [] }) }
    },
  }
}

import type { PodContainers } from '../../runtimes/port.ts'
import { fitCards } from '../apps/plan-release.ts'
import { withSecrets } from '../keys/account-secrets.ts'
import { volumeFolder } from '../platform-api/records.ts'
import type { ServiceContext } from '../service-context.ts'
import { containerOf, gpuSettingOf, ownVolumeOf, type PodRow } from './rules.ts'

type Start = { progress: string; readonly abort: AbortController; readonly done: Promise<void> }

type Deps = Pick<ServiceContext, 'storage' | 'log' | 'fleet'> & { readonly note: (id: string, line: string) => void }

export function createPodStarts({ storage, log, fleet, note }: Deps) {
  const starts = new Map<string, Start>()

  async function end(id: string): Promise<void> {
    const start = starts.get(id)
    start?.abort.abort(new Error('the pod is no longer wanted'))
    await start?.done
  }

  return {
    progressOf: (id: string): string | undefined => starts.get(id)?.progress,
    done: (id: string): Promise<void> | undefined => starts.get(id)?.done,
    begin(containers: PodContainers, { id, name, settings }: PodRow): void {
      const abort = new AbortController()
      const report = (progress: string) => {
        start.progress = progress
        note(id, progress)
      }
      async function run(): Promise<void> {
        const { gpuCount } = settings
        const fitted = await fitCards(fleet, name, { gpuIds: gpuSettingOf(settings), gpuCount: Math.max(1, gpuCount) })
        if (fitted.warning !== undefined) note(id, fitted.warning)
        const folder = settings.networkVolume === null ? undefined : await volumeFolder(storage, settings.networkVolume)
        const container = containerOf(settings, { gpu: fitted.gpuIds, folder })
        const env = { ...withSecrets(storage, settings.env), RUNPOD_POD_ID: id }
        const spec = { id, env, container, ownVolume: ownVolumeOf(settings) }
        await containers.start(spec, { report, signal: abort.signal })
        note(id, 'started')
      }
      const done = run()
        .catch(async (error: Error) => {
          if (abort.signal.aborted) return
          note(id, `not started: ${error.message}`)
          await storage.write(() => storage.pods.setWanted(id, 'RUNNING', error.message))
        })
        .catch((error: Error) => log.error('a failed start of a pod was not stored', { pod: id, error: error.message }))
        .finally(() => starts.delete(id))
      const start: Start = { progress: 'starting', abort, done }
      starts.set(id, start)
    },
    end,
    async endAll(): Promise<void> {
      await Promise.all([...starts.keys()].map(end))
    },
  }
}

import { useEffect, useMemo } from 'react'
import type { RunView } from '../../../../src-main/contract/workflows.ts'
import { imagesOf } from '../../../../src-main/features/workflows/rules/runs/payload-files.ts'
import { toPayload } from '../../../../src-main/features/workflows/rules/to-payload/to-payload.ts'
import { writeJson } from '../../../../src-main/lib/json/value.ts'
import { ApiError } from '../../../api-client/api-error.ts'
import type { Caller } from '../../../api-client/client.ts'
import type { Platform } from '../../../browser/platform.ts'
import { useApp } from '../../../store/app-context.ts'
import type { AppStore } from '../../../store/app-store.ts'
import { type Tab, useTab } from '../store/editor-store.ts'
import type { Refusal } from '../store/run-store.ts'
import { randomBetween } from '../widgets/exact-number.ts'
import { followAutoRun } from './auto-run.ts'
import { hasEnded, headOf } from './follow-runs.ts'
import { type PreparedRun, prepareRuns, type SeedMode } from './prepare-runs.ts'
import { payloadOf } from './run-queries.ts'

export type RunActions = ReturnType<typeof createRunActions>

/** Most runs that one press queues. Source: docs/spec/comfyui.md, 8. */
export const MOST_RUNS_AT_ONCE = 100

const SEEDS = 'workflow-seeds'

export const seedMode = (platform: Pick<Platform, 'readPreference'>): SeedMode =>
  platform.readPreference(SEEDS) === 'before' ? 'before' : 'after'

export const setSeedMode = (platform: Pick<Platform, 'writePreference'>, mode: SeedMode): void =>
  platform.writePreference(SEEDS, mode)

export type RunActionPorts = {
  readonly client: Caller
  readonly platform: Pick<Platform, 'now' | 'readPreference'>
  readonly app: Pick<AppStore, 'getState'>
  readonly tab: Tab
  readonly title?: string
}

export function createRunActions({ client, platform, app, tab, title }: RunActionPorts) {
  const { editor, runs, workflowId } = tab
  const notifyError = (text: string) => app.getState().notify({ kind: 'error', text })

  async function run({ onlySelected = false } = {}): Promise<void> {
    // A graph is checked with the classes of its endpoint, which may still be loading.
    runs.getState().set(({ sending }) => ({ refusal: undefined, sending: sending + 1 }))
    await runs.getState().typesShown
    const { endpointId, count, hasRun, set } = runs.getState()
    const refuse = (refusal: Refusal) => set(({ sending }) => ({ refusal, sending: sending - 1 }))
    if (endpointId === undefined)
      return refuse({ message: 'Choose an endpoint that takes graphs first.', problems: [] })
    const { document, types, path, selection, edit } = editor.getState()
    const only = onlySelected ? { path, selection } : undefined
    const { live, indexedPackages: indexed } = app.getState()
    const graph = { document, types, endpoint: live.endpoints[endpointId], indexed, only, now: platform.now() }
    const seeds = { random: randomBetween, isFirst: !hasRun, seedMode: seedMode(platform) }
    const prepared = prepareRuns({ ...graph, ...seeds, count: Math.min(Math.max(count, 1), MOST_RUNS_AT_ONCE) })
    if (prepared.kind === 'refused') return refuse(prepared.refusal)
    set(({ sending }) => ({ hasRun: true, sending: sending - 1 + prepared.runs.length }))
    // All advanced seeds are one step of undo. A partial run advances none.
    if (!onlySelected) edit('Update seeds', () => prepared.next, 'seeds')
    const isSent = await send(prepared.runs, endpointId)
    // Nothing was run, so the previous seeds are restored.
    if (!isSent && editor.getState().document === prepared.next) edit('Update seeds', () => document, 'seeds')
  }

  async function send(prepared: readonly PreparedRun[], endpointId: string): Promise<boolean> {
    const name = title ?? (await nameOf())
    for (const [at, one] of prepared.entries()) {
      const texts = one.write()
      try {
        const body = { endpointId, workflowId, title: name, ...texts }
        const run = await client.call('runCreate', { body })
        runs.getState().set(({ active, sending }) => ({ active: [...active, run], sending: sending - 1 }))
      } catch (error) {
        // A run that cannot be queued stops the rest.
        const rest = prepared.length - at
        const refusal = refusalOf(error as Error, texts.payload)
        runs.getState().set(({ sending }) => ({ sending: sending - rest, refusal }))
        return at > 0
      }
    }
    return true
  }

  function refusalOf(error: Error, payload: string): Refusal {
    // The service names the field; the payload names the files.
    const why =
      error instanceof ApiError && error.code === 'BAD_FIELD' ? /^images: (.*)/s.exec(error.message)?.[1] : undefined
    if (why === undefined) return { message: error.message, problems: [] }
    const message = why.charAt(0).toUpperCase() + why.slice(1)
    return { message, problems: [], tooLarge: imagesOf(payloadOf({ payload }), editor.getState().types) }
  }

  async function nameOf(): Promise<string> {
    const { workflows } = await client.call('workflowList').catch(() => ({ workflows: [] }))
    return workflows.find(({ id }) => id === workflowId)?.name ?? 'Untitled'
  }

  async function cancelRun(run: RunView): Promise<void> {
    const { set } = runs.getState()
    const show = (status: RunView['status']) =>
      set(({ active }) => ({ active: active.map((one) => (one.id === run.id ? { ...one, status } : one)) }))
    show('CANCELLED')
    try {
      await client.call('cancel', { path: { endpointId: run.endpointId, jobId: run.id } })
    } catch (error) {
      show(run.status)
      notifyError(`The run was not cancelled: ${(error as Error).message}`)
    }
  }

  async function reorder(run: RunView, body: { readonly to: 'front' } | { readonly swapWith: string }): Promise<void> {
    try {
      await client.call('jobReorder', { path: { jobId: run.id }, body })
    } catch (error) {
      const isLate = error instanceof ApiError && error.code === 'WRONG_STATE'
      notifyError(`The run was not moved: ${isLate ? 'it has already started.' : (error as Error).message}`)
    }
  }

  return {
    run,
    moveToFront: (one: RunView) => reorder(one, { to: 'front' }),
    swapPositions: (one: RunView, other: RunView) => reorder(one, { swapWith: other.id }),
    async cancel() {
      const head = headOf(runs.getState().active)
      if (head !== undefined) await cancelRun(head)
    },
    cancelOne: cancelRun,
    async cancelAll() {
      runs.getState().set({ auto: 'off' })
      // Cancels waiting runs first, or each would start when the one before it goes.
      const open = runs.getState().active.filter((one) => !hasEnded(one))
      for (const one of open.toReversed()) await cancelRun(one)
    },
  }
}

export function useRunActions(): RunActions {
  const { client, platform, store } = useApp()
  const tab = useTab()
  return useMemo(() => createRunActions({ client, platform, app: store, tab }), [client, platform, store, tab])
}

export function useAutoRun({ run }: Pick<RunActions, 'run'>): void {
  const { platform, store } = useApp()
  const { editor, runs } = useTab()
  useEffect(() => {
    const end = followAutoRun({
      runs,
      editor,
      // Uses one fixed time, because dates in file names are no change.
      textOf: (document) => writeJson(toPayload(document, editor.getState().types, 0).payload),
      run: () => run(),
      platform,
      notify: (text) => store.getState().notify({ kind: 'error', text }),
    })
    return () => {
      end()
      runs.getState().set({ auto: 'off' })
    }
  }, [runs, editor, platform, store, run])
}

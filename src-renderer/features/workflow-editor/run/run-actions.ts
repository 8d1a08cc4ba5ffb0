/** Sends the open document as runs, by a press or by itself, and cancels those that have not ended. */

import { useEffect, useMemo } from 'react'
import type { RunView } from '../../../../src-main/contract/workflows.ts'
import { writeJson } from '../../../../src-main/domain/workflow/json/value.ts'
import { toPayload } from '../../../../src-main/domain/workflow/to-payload/to-payload.ts'
import { imagesOf } from '../../../../src-main/domain/workflow-runs/payload-files.ts'
import { ApiError } from '../../../api-client/api-error.ts'
import type { ApiClient } from '../../../api-client/client.ts'
import type { Platform } from '../../../platform/platform.ts'
import { useApp } from '../../../store/app-context.ts'
import type { AppStore } from '../../../store/app-store.ts'
import { type Tab, useTab } from '../store/editor-store.ts'
import type { Refusal } from '../store/run-store.ts'
import { randomBetween } from '../widgets/exact-number.ts'
import { followAutoRun } from './auto-run.ts'
import { hasEnded, headOf } from './follow-runs.ts'
import { type PreparedRun, prepareRuns, type SeedMode } from './prepare-runs.ts'
import { payloadOf } from './run-queries.ts'

/** How to run. */
export type RunWish = {
  /** Only what the selected outputs need. */
  readonly onlySelected?: boolean
}

/** What can be done with runs. */
export type RunActions = {
  readonly run: (wish?: RunWish) => Promise<void>
  /** Cancels the one that runs, else the first that waits. */
  readonly cancel: () => Promise<void>
  /** Cancels one of them. */
  readonly cancelOne: (run: RunView) => Promise<void>
  readonly cancelAll: () => Promise<void>
  /** Lets a run that waits be the next of its endpoint. */
  readonly moveToFront: (run: RunView) => Promise<void>
  /** Lets two runs that wait for the same endpoint swap positions. */
  readonly swapPositions: (run: RunView, other: RunView) => Promise<void>
}

/** The most that one press queues. Source: docs/spec/comfyui.md, 8. */
export const MOST_RUNS_AT_ONCE = 100

// Where it is kept when seeds move on.
const SEEDS = 'workflow-seeds'

/** When seeds move on; after each run unless somebody chose otherwise. */
export const seedMode = (platform: Pick<Platform, 'readPreference'>): SeedMode =>
  platform.readPreference(SEEDS) === 'before' ? 'before' : 'after'

/** Chooses when seeds move on. */
export const setSeedMode = (platform: Pick<Platform, 'writePreference'>, mode: SeedMode): void =>
  platform.writePreference(SEEDS, mode)

/** What the actions work with. */
export type RunActionPorts = {
  readonly client: Pick<ApiClient, 'call'>
  readonly platform: Pick<Platform, 'now' | 'readPreference'>
  readonly app: Pick<AppStore, 'getState'>
  readonly tab: Tab
  /** Name of the workflow; undefined: it is asked for. */
  readonly title?: string
}

/** Makes the actions of a tab. */
export function createRunActions({ client, platform, app, tab, title }: RunActionPorts): RunActions {
  const { editor, runs, workflowId } = tab
  const notifyError = (text: string) => app.getState().notify({ kind: 'error', text })

  // As often as was chosen, by whatever key or button: each time with its own step of the seeds.
  async function run({ onlySelected = false }: RunWish = {}): Promise<void> {
    // A graph is checked by the classes of the endpoint it goes to, and those may still be on their way.
    runs.getState().set(({ sending }) => ({ refusal: undefined, sending: sending + 1 }))
    await runs.getState().typesShown
    const { endpointId, count, hasRun, set } = runs.getState()
    const refuse = (refusal: Refusal) => set(({ sending }) => ({ refusal, sending: sending - 1 }))
    if (endpointId === undefined) {
      refuse({ message: 'Choose an endpoint that takes graphs first.', problems: [] })
      return
    }
    const { document, types, path, selection, edit } = editor.getState()
    const only = onlySelected ? { path, selection } : undefined
    const order = {
      document,
      types,
      endpoint: app.getState().live.endpoints[endpointId],
      indexed: app.getState().indexedPackages,
      only,
      random: randomBetween,
      now: platform.now(),
      isFirst: !hasRun,
      seedMode: seedMode(platform),
    }
    const prepared = prepareRuns({ ...order, count: Math.min(Math.max(count, 1), MOST_RUNS_AT_ONCE) })
    if (prepared.kind === 'refused') {
      refuse(prepared.refusal)
      return
    }
    set(({ sending }) => ({ hasRun: true, sending: sending - 1 + prepared.runs.length }))
    // Seeds that moved on are no work of a person: one step takes all of them back. A part of the graph moves none on.
    if (!onlySelected) edit('Update seeds', () => prepared.next, 'seeds')
    const isSent = await send(prepared.runs, endpointId)
    // Nothing was made with the seeds that were there.
    if (!isSent && editor.getState().document === prepared.next) edit('Update seeds', () => document, 'seeds')
  }

  /** @returns whether at least one is queued */
  async function send(prepared: readonly PreparedRun[], endpointId: string): Promise<boolean> {
    const name = title ?? (await nameOf())
    for (const [at, one] of prepared.entries()) {
      const texts = one.write()
      try {
        const body = { endpointId, workflowId, title: name, ...texts }
        const run = await client.call('runCreate', { body })
        runs.getState().set(({ active, sending }) => ({ active: [...active, run], sending: sending - 1 }))
      } catch (error) {
        // What keeps one from being queued keeps the others too.
        const rest = prepared.length - at
        const refusal = refusalOf(error as Error, texts.payload)
        runs.getState().set(({ sending }) => ({ sending: sending - rest, refusal }))
        return at > 0
      }
    }
    return true
  }

  function refusalOf(error: Error, payload: string): Refusal {
    // The service names the field; which files it means stands in the payload.
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
    moveToFront: (one) => reorder(one, { to: 'front' }),
    swapPositions: (one, other) => reorder(one, { swapWith: other.id }),
    async cancel() {
      const head = headOf(runs.getState().active)
      if (head !== undefined) await cancelRun(head)
    },
    cancelOne: cancelRun,
    async cancelAll() {
      runs.getState().set({ auto: 'off' })
      // Those that wait first, or each would be taken when the one before it goes.
      const open = runs.getState().active.filter((one) => !hasEnded(one))
      for (const one of open.toReversed()) await cancelRun(one)
    },
  }
}

/** What a person does with runs of the open document, for buttons, keys and the palette. */
export function useRunActions(): RunActions {
  const { client, platform, store } = useApp()
  const tab = useTab()
  return useMemo(() => createRunActions({ client, platform, app: store, tab }), [client, platform, store, tab])
}

/** Lets the open document run by itself while it is shown, as was chosen. */
export function useAutoRun({ run }: Pick<RunActions, 'run'>): void {
  const { platform, store } = useApp()
  const { editor, runs } = useTab()
  useEffect(() => {
    const end = followAutoRun({
      runs,
      editor,
      // At one time, as dates in the names of files are no change.
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

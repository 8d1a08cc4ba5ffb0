import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useLocation } from 'wouter'
import { ADDRESS } from '../../../addresses.ts'
import { chooseFiles, fileNameOf, saveToDisk } from '../../../platform/browser-files.ts'
import { type AppServices, useApp } from '../../../store/app-context.ts'
import { readNodeTypes } from '../../../ui/servers/read-node-types.ts'
import { canvasPlace } from '../canvas/canvas-place.ts'
import { addImageNode } from './add-image-node.ts'
import { addDraft, addFiles, EMPTY_DOCUMENT, GRAPH_FILES } from './add-workflow.ts'
import { graphAsPng, payloadText } from './export-graph.ts'
import type { OpenDocument } from './open-tabs.ts'
import { filesOf, findTab } from './tabs-of.ts'
import { keepThumbnail } from './thumbnail.ts'
import { workflowName } from './workflow-name.ts'

// Several pictures at one place, px: each is seen.
const BESIDE = 40

/** What can be done with the document that is shown, as a file. Each tells how it went. */
export type FileActions = {
  /** Saves a version. */
  readonly save: () => Promise<void>
  readonly saveCopy: () => Promise<void>
  /** Lets a person choose files, and opens the graphs in them in tabs of their own. */
  readonly open: () => Promise<void>
  /** @param at where they were let go, px of the window: pictures without a graph become nodes that load them there */
  readonly openFiles: (files: readonly File[], at?: { readonly x: number; readonly y: number }) => Promise<void>
  /** Goes back to the newest saved version; undo takes that back. */
  readonly revert: () => Promise<void>
  /** Shows what another window has kept, instead of what is edited here. */
  readonly loadTheirs: () => Promise<void>
  /** Keeps what is edited here as a workflow of its own, and shows here what another window has kept. */
  readonly keepAsCopy: () => Promise<void>
  readonly exportDocument: () => Promise<void>
  readonly exportPayload: () => Promise<void>
  readonly exportPng: () => Promise<void>
  readonly newEmpty: () => Promise<void>
  /** Reads the classes of nodes of the chosen endpoint again, from its server where it has one. */
  readonly reloadTypes: () => Promise<void>
  readonly close: () => Promise<void>
  readonly closeTab: (workflowId: string) => Promise<void>
  readonly rename: (workflowId: string, name: string) => Promise<void>
}

/** The actions on files of the editor. They are for the tab that is shown when they are called. */
export function useFileActions(): FileActions {
  const app = useApp()
  const queries = useQueryClient()
  const [, go] = useLocation()
  return useMemo(() => {
    const readAgain = () => void queries.invalidateQueries({ queryKey: ['workflows'] })
    return actionsOf(app, go, readAgain)
  }, [app, queries, go])
}

function actionsOf(app: AppServices, go: (to: string) => void, readAgain: () => void): FileActions {
  const { client, store, platform } = app
  const { tabs, types: known } = filesOf(app)
  const { tell } = store.getState()
  const told = (kind: 'done' | 'error', text: string) => void tell({ kind, text })

  async function tried(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof Error)) throw error
      told('error', error.message)
    }
    readAgain()
  }
  // Nothing is done while no document is open.
  const onCurrent = (work: (open: OpenDocument) => Promise<void>) => () => {
    const { current } = tabs.state.getState()
    const open = current === undefined ? undefined : findTab(app, current)?.open
    return open === undefined ? Promise.resolve() : tried(() => work(open))
  }
  const nameOf = ({ keeper }: OpenDocument) => keeper.state.getState().workflow.name
  const stateOf = ({ tab }: OpenDocument) => tab.editor.getState()
  const addCopy = (open: OpenDocument) => addDraft(client, workflowName(nameOf(open), ' (copy)'), open.keeper.text())

  async function openFiles(files: readonly File[], at?: { readonly x: number; readonly y: number }): Promise<void> {
    const place = at && canvasPlace(at)
    const shown = place && findTab(app, tabs.state.getState().current ?? '')?.open
    await tried(async () => {
      const { added, images, refused } = await addFiles(client, files)
      for (const [count, { file, why }] of images.entries()) {
        if (place === undefined || shown === undefined) told('error', why)
        else await addImageNode(client, shown.tab, file, [place[0] + count * BESIDE, place[1] + count * BESIDE])
      }
      for (const text of refused) told('error', text)
      for (const { id } of added) await tabs.show(id)
      const last = added.at(-1)
      if (last !== undefined) go(ADDRESS.workflow(last.id))
    })
  }

  async function closeTab(workflowId: string): Promise<void> {
    const { tabs: all, current } = tabs.state.getState()
    const at = all.findIndex((tab) => tab.workflowId === workflowId)
    const beside = all[at + 1] ?? all[at - 1]
    if (current === workflowId) go(beside === undefined ? ADDRESS.workflows : ADDRESS.workflow(beside.workflowId))
    const open = findTab(app, workflowId)?.open
    await tabs.close(workflowId)
    // A new one that nobody has touched is not left in the library.
    if (open !== undefined && isUntouched(open)) await tried(() => removed(workflowId))
  }
  async function removed(workflowId: string): Promise<void> {
    await client.call('workflowDelete', { path: { workflowId } })
  }

  return {
    openFiles,
    open: async () => openFiles(await chooseFiles(GRAPH_FILES)),
    save: onCurrent(async (open) => {
      if (await open.keeper.save()) {
        const { name, version } = open.keeper.state.getState().workflow
        told('done', `${name} is saved as version ${version}.`)
        await keepThumbnail(client, open)
        return
      }
      const { status, fault } = open.keeper.state.getState()
      const what = status === 'changed' ? 'Another window has changed it: choose above which one to keep.' : fault
      told('error', `${nameOf(open)} is not saved as a version. ${what ?? ''}`)
    }),
    saveCopy: onCurrent(async (open) => go(ADDRESS.workflow((await addCopy(open)).id))),
    revert: onCurrent(async ({ keeper }) => {
      const { version } = keeper.state.getState().workflow
      if (await keeper.revert()) told('done', `Back at version ${version}. Undo brings the edits back.`)
      else told('error', version === 0 ? 'No version was saved yet.' : 'Another window has changed it: choose first.')
    }),
    loadTheirs: onCurrent(async ({ keeper }) => void (await keeper.load())),
    keepAsCopy: onCurrent(async (open) => {
      const copy = await addCopy(open)
      go(ADDRESS.workflow(copy.id))
      // One that was deleted meanwhile has nothing to show.
      if (!(await open.keeper.load().catch(() => false))) await tabs.close(open.tab.workflowId)
    }),
    exportDocument: onCurrent(async (open) => {
      const file = new Blob([open.keeper.text()], { type: 'application/json' })
      saveToDisk(file, fileNameOf(nameOf(open), '.json'), platform)
    }),
    exportPayload: onCurrent(async (open) => {
      const { document, types } = stateOf(open)
      const { text, problems } = payloadText(document, types, platform.now())
      saveToDisk(new Blob([text], { type: 'application/json' }), fileNameOf(nameOf(open), '_api.json'), platform)
      const [first] = problems
      if (first !== undefined) told('error', `Exported, but not whole. ${first.message}`)
    }),
    exportPng: onCurrent(async (open) => {
      const { document, types } = stateOf(open)
      saveToDisk(await graphAsPng(document, types, platform.now()), fileNameOf(nameOf(open), '.png'), platform)
    }),
    newEmpty: () => tried(async () => go(ADDRESS.workflow((await addDraft(client, 'Untitled', EMPTY_DOCUMENT)).id))),
    reloadTypes: onCurrent(async ({ tab: { editor, runs } }) => {
      const { endpointId } = runs.getState()
      const server = store.getState().live.endpoints[endpointId ?? '']?.workflows?.server
      if (endpointId !== undefined && server !== undefined) await readNodeTypes(app, endpointId)
      known.forget(endpointId)
      editor.getState().setTypes(await known.read(endpointId))
      told('done', 'The classes of nodes are read again.')
    }),
    close: onCurrent(({ tab }) => closeTab(tab.workflowId)),
    closeTab,
    rename: (workflowId, name) =>
      tried(async () => {
        const changed = await client.call('workflowUpdate', { path: { workflowId }, body: { name } })
        tabs.setName(workflowId, changed.name)
      }),
  }
}

function isUntouched({ keeper, tab }: OpenDocument): boolean {
  const { document, done, undone } = tab.editor.getState()
  const { version } = keeper.state.getState().workflow
  return version === 0 && document.nodes.items.length === 0 && done.length + undone.length === 0
}

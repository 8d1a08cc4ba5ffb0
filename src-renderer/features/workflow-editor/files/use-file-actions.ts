import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useLocation } from 'wouter'
import {
  type WorkflowDocument,
  writeDocument,
} from '../../../../src-main/features/workflows/rules/document/document.ts'
import type { Pair } from '../../../../src-main/features/workflows/rules/document/fields.ts'
import { addNode } from '../../../../src-main/features/workflows/rules/edit/add-node.ts'
import { setWidget } from '../../../../src-main/features/workflows/rules/edit/widgets.ts'
import { withPngTexts } from '../../../../src-main/features/workflows/rules/metadata/png.ts'
import { type NodeTypes, typesHere } from '../../../../src-main/features/workflows/rules/node-types.ts'
import { toResolvedPayload } from '../../../../src-main/features/workflows/rules/resolve/resolve.ts'
import { writeJson } from '../../../../src-main/lib/json/value.ts'
import { ADDRESS } from '../../../addresses.ts'
import type { Caller } from '../../../api-client/client.ts'
import { chooseFiles, fileNameOf, saveToDisk } from '../../../browser/browser-files.ts'
import { type AppServices, useApp } from '../../../store/app-context.ts'
import { readNodeTypes } from '../../../ui/workflow-servers.ts'
import { canvasPoint } from '../graph/viewport.ts'
import { addressOf, type Tab } from '../store/editor-store.ts'
import { assetName, uploadAsset } from '../widgets/upload-asset.ts'
import { addDraft, addFiles, EMPTY_DOCUMENT, GRAPH_FILES, offerReplays, workflowName } from './add-workflow.ts'
import { filesOf, findTab } from './editor-files.ts'
import type { OpenDocument } from './open-tabs.ts'
import { renderPicture, saveThumbnail } from './render-graph.ts'

// Offset between pictures dropped together, px, so that each is visible.
const BESIDE = 40

export type FileActions = ReturnType<typeof actionsOf>

export function useFileActions(): FileActions {
  const app = useApp()
  const queries = useQueryClient()
  const [, go] = useLocation()
  return useMemo(
    () => actionsOf(app, go, () => void queries.invalidateQueries({ queryKey: ['workflows'] })),
    [app, queries, go],
  )
}

function actionsOf(app: AppServices, go: (to: string) => void, readAgain: () => void) {
  const { client, store, platform } = app
  const { tabs, types: known } = filesOf(app)
  const { notify } = store.getState()
  const notifyDone = (kind: 'done' | 'error', text: string) => void notify({ kind, text })

  async function tried(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof Error)) throw error
      notifyDone('error', error.message)
    }
    readAgain()
  }
  const onCurrent = (work: (open: OpenDocument) => Promise<void>) => () => {
    const { current } = tabs.state.getState()
    const open = current === undefined ? undefined : findTab(app, current)?.open
    return open === undefined ? Promise.resolve() : tried(() => work(open))
  }
  const nameOf = ({ autosave }: OpenDocument) => autosave.state.getState().workflow.name
  const stateOf = ({ tab }: OpenDocument) => tab.editor.getState()
  const addCopy = (open: OpenDocument) => addDraft(client, workflowName(nameOf(open), ' (copy)'), open.autosave.text())

  /** @param at drop position, px of the window: pictures without a graph become nodes there */
  async function openFiles(files: readonly File[], at?: { readonly x: number; readonly y: number }): Promise<void> {
    const point = at && canvasPoint(at)
    const shown = point && findTab(app, tabs.state.getState().current ?? '')?.open
    await tried(async () => {
      const { added, images, runs, lacking, refused } = await addFiles(client, files)
      for (const [count, { file, why }] of images.entries()) {
        if (point === undefined || shown === undefined) notifyDone('error', why)
        else await addImageNode(client, shown.tab, file, [point[0] + count * BESIDE, point[1] + count * BESIDE])
      }
      for (const text of [...lacking, ...refused]) notifyDone('error', text)
      offerReplays(app, runs, go, tried)
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
    if (open !== undefined && isUntouched(open))
      await tried(async () => void (await client.call('workflowDelete', { path: { workflowId } })))
  }

  return {
    openFiles,
    open: async () => openFiles(await chooseFiles(GRAPH_FILES)),
    save: onCurrent(async (open) => {
      if (await open.autosave.save()) {
        const { name, version } = open.autosave.state.getState().workflow
        notifyDone('done', `${name} is saved as version ${version}.`)
        await saveThumbnail(client, open)
        return
      }
      const { status, problem } = open.autosave.state.getState()
      const what = status === 'changed' ? 'Another window has changed it: choose above which version to keep.' : problem
      notifyDone('error', `${nameOf(open)} is not saved as a version. ${what ?? ''}`)
    }),
    saveCopy: onCurrent(async (open) => go(ADDRESS.workflow((await addCopy(open)).id))),
    revert: onCurrent(async ({ autosave }) => {
      const { version } = autosave.state.getState().workflow
      const why = version === 0 ? 'No version has been saved yet.' : 'Another window has changed it: choose first.'
      if (await autosave.revert()) notifyDone('done', `Back at version ${version}. Undo restores the edits.`)
      else notifyDone('error', why)
    }),
    loadTheirs: onCurrent(async ({ autosave }) => void (await autosave.load())),
    saveAsCopy: onCurrent(async (open) => {
      const copy = await addCopy(open)
      go(ADDRESS.workflow(copy.id))
      if (!(await open.autosave.load().catch(() => false))) await tabs.close(open.tab.workflowId)
    }),
    exportDocument: onCurrent(async (open) => {
      const file = new Blob([open.autosave.text()], { type: 'application/json' })
      saveToDisk(file, fileNameOf(nameOf(open), '.json'), platform)
    }),
    exportPayload: onCurrent(async (open) => {
      const { document, types } = stateOf(open)
      const { payload, problems } = toResolvedPayload(document, types, platform.now())
      const file = new Blob([writeJson(payload, INDENT)], { type: 'application/json' })
      saveToDisk(file, fileNameOf(nameOf(open), '_api.json'), platform)
      const [first] = problems
      if (first !== undefined) notifyDone('error', `The export is incomplete. ${first.message}`)
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
      notifyDone('done', 'The node classes are read again.')
    }),
    close: onCurrent(({ tab }) => closeTab(tab.workflowId)),
    closeTab,
    rename: (workflowId: string, name: string) =>
      tried(async () => {
        const changed = await client.call('workflowUpdate', { path: { workflowId }, body: { name } })
        tabs.setName(workflowId, changed.name)
      }),
  }
}

function isUntouched({ autosave, tab }: OpenDocument): boolean {
  const { document, done, undone } = tab.editor.getState()
  const { version } = autosave.state.getState().workflow
  return version === 0 && document.nodes.items.length === 0 && done.length + undone.length === 0
}

const CLASS = 'LoadImage'
const INPUT = 'image'

/**
 * Adds a node that loads a picture, as one undo step.
 * @param pos px of the canvas
 * @throws Error for the user if the picture cannot be stored or the endpoint has no such node
 */
export async function addImageNode(client: Caller, { editor }: Pick<Tab, 'editor'>, file: File, pos: Pair) {
  const type = typesHere(editor.getState().types).get(CLASS)
  if (type === undefined) throw new Error(`${file.name} holds no graph, and this endpoint has no node that loads it.`)
  const { name = file.name } = await uploadAsset(client, file, assetName(file))
  editor.getState().endStep()
  editor.getState().edit(`Add ${name}`, (document) => {
    const { types, path } = editor.getState()
    const at = addressOf({ document, path })
    const added = addNode(document, at, { type, pos })
    return setWidget(added.document, at, { node: added.id, name: INPUT, value: name, types })
  })
}

const INDENT = 2

/** A PNG that opens as the graph, with the metadata texts that pictures of the field carry. */
async function graphAsPng(document: WorkflowDocument, types: NodeTypes, now: number): Promise<Blob> {
  const drawn = new Uint8Array(await (await renderPicture(document, types)).arrayBuffer())
  const encoder = new TextEncoder()
  const texts = [
    { keyword: 'workflow', text: encoder.encode(writeJson(writeDocument(document))) },
    { keyword: 'prompt', text: encoder.encode(writeJson(toResolvedPayload(document, types, now).payload)) },
  ]
  const png = withPngTexts(drawn, texts)
  if (png === undefined) throw new Error('This browser could not make a PNG of the graph.')
  return new Blob([new Uint8Array(png)], { type: 'image/png' })
}

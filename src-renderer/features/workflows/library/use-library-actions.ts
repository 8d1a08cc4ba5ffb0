import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useLocation } from 'wouter'
import type { WorkflowView } from '../../../../src-main/contract/workflows.ts'
import { ADDRESS } from '../../../addresses.ts'
import { chooseFiles, download } from '../../../browser/browser-files.ts'
import { type AppServices, useApp } from '../../../store/app-context.ts'
import {
  addDraft,
  addFiles,
  EMPTY_DOCUMENT,
  GRAPH_FILES,
  offerReplays,
  workflowName,
} from '../../workflow-editor/files/add-workflow.ts'
import { filesOf } from '../../workflow-editor/files/editor-files.ts'
import { type LibraryList, WORKFLOWS } from '../workflow-queries.ts'

export type LibraryActions = ReturnType<typeof useLibraryActions>

/** Renames and deletions are optimistic and rolled back if the service refuses. */
export function useLibraryActions() {
  const app = useApp()
  const queries = useQueryClient()
  const [, go] = useLocation()
  return useMemo(() => {
    const { client, store } = app
    const { notify } = store.getState()
    const readAgain = () => queries.invalidateQueries({ queryKey: WORKFLOWS })
    const change = (to: (workflows: readonly WorkflowView[]) => readonly WorkflowView[]) =>
      queries.setQueryData<LibraryList>(WORKFLOWS, (list) => list && { workflows: to(list.workflows) })
    async function tried(work: () => Promise<unknown>): Promise<void> {
      try {
        await work()
      } catch (error) {
        if (!(error instanceof Error)) throw error
        notify({ kind: 'error', text: error.message })
      } finally {
        void readAgain()
      }
    }
    const add = (name: string, text: string) =>
      tried(async () => go(ADDRESS.workflow((await addDraft(client, name, text)).id)))

    async function openFiles(files: readonly File[]): Promise<void> {
      const { added, images, runs, lacking, refused } = await addFiles(client, files)
      void readAgain()
      for (const text of [...lacking, ...refused, ...images.map(({ why }) => why)]) notify({ kind: 'error', text })
      offerReplays(app, runs, go, tried)
      const [only] = added
      if (only !== undefined && added.length === 1) go(ADDRESS.workflow(only.id))
      else if (added.length > 1) notify({ kind: 'done', text: `${added.length} workflows are in the library.` })
    }

    return {
      newEmpty: () => add('Untitled', EMPTY_DOCUMENT),
      newFrom: add,
      open: async () => openFiles(await chooseFiles(GRAPH_FILES)),
      openFiles,
      rename: (workflow: WorkflowView, name: string) =>
        tried(async () => {
          change((all) => all.map((one) => (one.id === workflow.id ? { ...one, name } : one)))
          const changed = await client.call('workflowUpdate', { path: { workflowId: workflow.id }, body: { name } })
          filesOf(app).tabs.setName(workflow.id, changed.name)
        }),
      duplicate: (workflow: WorkflowView) => tried(() => duplicated(app, workflow)),
      /** Saves it with everything it needs, as a file that another Drydock can open. */
      save({ id, name }: WorkflowView) {
        download(client.address('workflowFile', { path: { workflowId: id } }), `${name}.graph.jsonl`)
      },
      async remove(workflow: WorkflowView) {
        const path = { workflowId: workflow.id }
        change((all) => all.filter(({ id }) => id !== workflow.id))
        await filesOf(app).tabs.close(workflow.id)
        await tried(async () => {
          await client.call('workflowDelete', { path })
          const undo = () => void tried(() => client.call('workflowRestore', { path }))
          notify({ kind: 'done', text: `${workflow.name} is deleted.`, undo })
        })
      },
    }
  }, [app, queries, go])
}

async function duplicated({ client, store }: AppServices, workflow: WorkflowView): Promise<void> {
  const { text } = await client.call('workflowRead', { path: { workflowId: workflow.id } })
  const copy = await addDraft(client, workflowName(workflow.name, ' (copy)'), text)
  const { thumbnail } = workflow
  if (thumbnail !== undefined) {
    await client.call('workflowUpdate', { path: { workflowId: copy.id }, body: { thumbnail } })
  }
  store.getState().notify({ kind: 'done', text: `${copy.name} is in the library.` })
}

import { useEffect } from 'react'
import { findNodes } from '../../../../src-main/domain/workflow/view/find-nodes.ts'
import { payloadIdOf } from '../../../../src-main/domain/workflow/where-is.ts'
import { useApp } from '../../../store/app-context.ts'
import type { Command } from '../../../store/commands-slice.ts'
import { useTab } from '../store/editor-context.ts'

// As many as the palette shows.
const MOST = 20

/** Lets the palette of all actions find the nodes of the open graph, also within subgraphs, and lead to them. */
export function NodesInPalette() {
  const { store } = useApp()
  const { editor } = useTab()
  useEffect(
    () =>
      store.getState().offerFinder((typed): readonly Command[] => {
        const { document, types } = editor.getState()
        return findNodes(document, types, { text: typed, most: MOST }).map(({ path, id, title, detail }) => {
          const name = payloadIdOf(document, path, id)
          return {
            id: `node ${name}`,
            group: 'Nodes of this graph',
            label: title,
            detail: `${detail} · ${name}`,
            // It was found by words that need not be in its title.
            also: typed,
            run: () => editor.getState().reveal(path, [id]),
          }
        })
      }),
    [store, editor],
  )
  return null
}

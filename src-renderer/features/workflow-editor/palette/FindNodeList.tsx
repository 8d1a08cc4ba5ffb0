import { findNodes } from '../../../../src-main/domain/workflow/view/find-nodes.ts'
import { payloadIdOf } from '../../../../src-main/domain/workflow/where-is.ts'
import type { OpenOverlay } from '../store/canvas-store.ts'
import { useTab } from '../store/editor-context.ts'
import { PickList } from './PickList.tsx'

// More are narrowed by typing.
const MOST = 200

/** Finds nodes of the open document by title, class, id or value, also within subgraphs, and leads to the one that is picked. */
export function FindNodeList({
  overlay,
  onClose,
}: {
  readonly overlay: Extract<OpenOverlay, { kind: 'find' }>
  readonly onClose: () => void
}) {
  const { editor } = useTab()
  const { document, types } = editor.getState()
  return (
    <PickList
      label="Find a node by title, class or value"
      at={overlay.screen}
      find={(text) =>
        findNodes(document, types, { text, most: MOST }).map((found) => {
          const key = payloadIdOf(document, found.path, found.id)
          return { key, label: found.title, detail: found.detail, value: found }
        })
      }
      nothing="No node has that in its title, its class or its values."
      onPick={({ path, id }) => {
        editor.getState().reveal(path, [id])
        onClose()
      }}
      onClose={onClose}
    />
  )
}

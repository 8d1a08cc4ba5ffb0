import { arrangeActions } from './arrange-actions.ts'
import { type ClipboardActions, clipboardActions } from './clipboard-actions.ts'
import { editActions } from './edit-actions.ts'
import type { ActionPorts } from './ports.ts'
import type { Actions } from './shortcuts.ts'
import { subgraphActions } from './subgraph-actions.ts'
import { viewActions } from './view-actions.ts'

/** All that can be done in the editor, with what the clipboard's own events need. */
export type EditorActions = Actions &
  Pick<ClipboardActions, 'copied' | 'pasteText'> & {
    /** Opens the graphs in them; pictures without one become nodes that load them, as where they are dropped. */
    readonly pasteFiles: (files: readonly File[]) => void
  }

// Half of the list of what is found stands on each side of the middle, px.
const FIND_WIDTH = 340

/** Makes the actions of a canvas. */
export function createActions(ports: ActionPorts): EditorActions {
  const { tab, canvas, flow, runs, files, middle, pointer } = ports
  // Where searches of other programs are: above what they find.
  const top = () => ({ x: middle().x - FIND_WIDTH / 2, y: middle().y / 3 })
  const { set, say } = canvas.getState()
  return {
    ...viewActions(ports),
    ...editActions(ports),
    ...arrangeActions(ports),
    ...clipboardActions(ports),
    ...subgraphActions(ports),
    add() {
      const screen = pointer() ?? middle()
      set({ overlay: { kind: 'add', screen, at: flow.screenToFlowPosition(screen), isByKey: true } })
    },
    find: () => set({ overlay: { kind: 'find', screen: top() } }),
    link() {
      const [node] = tab.editor.getState().selection
      if (node === undefined) return say('No node is selected to link from.')
      set({ overlay: { kind: 'output', screen: middle(), node } })
    },
    pasteFiles: (given) => void files.openFiles(given, pointer() ?? middle()),
    run: () => void runs.run(),
    runSelected: () => void runs.run({ onlySelected: true }),
    cancel: () => void runs.cancel(),
    save: () => void files.save(),
    open: () => void files.open(),
    reload: () => void files.reloadTypes(),
  }
}

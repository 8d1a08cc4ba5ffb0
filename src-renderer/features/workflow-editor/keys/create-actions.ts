import {
  type Alignment,
  type Axis,
  alignNodes,
  distributeNodes,
  layOutNodes,
} from '../../../../src-main/features/workflows/rules/arrange/arrange-nodes.ts'
import { dissolve } from '../../../../src-main/features/workflows/rules/edit/dissolve.ts'
import { makeSubgraph } from '../../../../src-main/features/workflows/rules/edit/make-subgraph.ts'
import { ADDRESS } from '../../../addresses.ts'
import { viewOf } from '../graph/links.ts'
import type { CanvasPreferences } from '../store/canvas-store.ts'
import { selectNodes } from '../store/editor-store.ts'
import { clipboardActions } from './clipboard-actions.ts'
import { type ActionPorts, countOf, editActions, editSelected } from './edit-actions.ts'
import type { Actions } from './shortcuts.ts'

export type EditorActions = Actions &
  Pick<ReturnType<typeof clipboardActions>, 'copied' | 'pasteText'> & {
    /** Opens the graphs in the files; pictures without one become nodes that load them, as if dropped. */
    readonly pasteFiles: (files: readonly File[]) => void
  }

// Half of the list of results on each side of the middle, px.
const FIND_WIDTH = 340

export function createActions(ports: ActionPorts): EditorActions {
  const { tab, canvas, flow, runs, files, middle, pointer } = ports
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

function arrangeActions(ports: ActionPorts) {
  const { address, tab, canvas, bringIntoView } = ports
  const aligned = (by: Alignment) => () =>
    editSelected(ports, 'Align', (document, ids) => alignNodes(document, address, ids, by))
  const distributed = (axis: Axis) => () =>
    editSelected(ports, 'Distribute', (document, ids) => distributeNodes(document, address, ids, axis))
  return {
    alignLeft: aligned('left'),
    alignRight: aligned('right'),
    alignTop: aligned('top'),
    alignBottom: aligned('bottom'),
    distributeAcross: distributed('horizontally'),
    distributeDown: distributed('vertically'),
    layOut() {
      const { edit, selection } = tab.editor.getState()
      edit('Arrange', (document) => layOutNodes(document, address, selection))
      canvas.getState().say(selection.size > 0 ? 'The selection is arranged.' : 'The graph is arranged.')
      if (selection.size === 0) requestAnimationFrame(() => bringIntoView(new Set()))
    },
  } satisfies Partial<Actions>
}

function subgraphActions({ tab, canvas, address, newUuid }: ActionPorts) {
  const { say } = canvas.getState()
  const state = () => tab.editor.getState()
  return {
    subgraph() {
      const { selection, edit } = state()
      let host: string | undefined
      edit('Create a subgraph', (document) => {
        const made = makeSubgraph(document, address, { ids: selection, name: 'Subgraph', newUuid })
        host = made?.host
        return made?.document ?? document
      })
      if (host === undefined) return say('No node is selected.')
      selectNodes({ editor: tab.editor, canvas }, [host])
      say(`A subgraph of ${countOf(selection.size)} is created.`)
    },
    dissolve() {
      const { selection, edit, types } = state()
      const [id = ''] = selection
      let ids: readonly string[] | undefined
      edit('Unpack a subgraph', (document) => {
        const dissolved = dissolve(document, address, id, types)
        ids = dissolved?.ids
        return dissolved?.document ?? document
      })
      if (ids === undefined) return say('No subgraph is selected.')
      selectNodes({ editor: tab.editor, canvas }, ids)
      say('The subgraph is unpacked.')
    },
  } satisfies Partial<Actions>
}

function viewActions({ tab, canvas, flow, graph, bringIntoView, go }: ActionPorts) {
  const { say, prefer, set } = canvas.getState()
  const preference = (name: Exclude<keyof CanvasPreferences, 'wheel' | 'sideWidth'>, on: string, off: string) => () => {
    const isOn = !canvas.getState().preferences[name]
    prefer({ [name]: isOn })
    say(isOn ? on : off)
  }
  return {
    fit: () => bringIntoView(tab.editor.getState().selection),
    zoomIn: () => void flow.zoomIn(),
    zoomOut: () => void flow.zoomOut(),
    zoomFull: () => void flow.zoomTo(1),
    lock() {
      set({ isLocked: true })
      say('The canvas is locked: nothing can be moved or linked. V unlocks it.')
    },
    unlock() {
      set({ isLocked: false })
      say('The canvas is unlocked.')
    },
    nodes: preference('isPaletteOpen', 'The nodes are shown.', 'The nodes are hidden.'),
    assets: preference('isSideOpen', 'Inspector and results are shown.', 'Inspector and results are hidden.'),
    minimap: preference('hasMinimap', 'The overview is shown.', 'The overview is hidden.'),
    snap: preference('snaps', 'Nodes snap to the grid.', 'Nodes no longer snap to the grid.'),
    wheel() {
      const wheel = canvas.getState().preferences.wheel === 'zoom' ? 'pan' : 'zoom'
      prefer({ wheel })
      say(wheel === 'zoom' ? 'The wheel zooms.' : 'The wheel scrolls the view; with Ctrl it zooms.')
    },
    enter() {
      const { selection, enter } = tab.editor.getState()
      const [id = ''] = selection
      if (viewOf(graph().byId.get(id))?.kind === 'subgraph') enter(id)
      else say('No subgraph is selected.')
    },
    leave() {
      const { path, enter } = tab.editor.getState()
      const left = path.at(-1)
      if (left === undefined) return say('This is the top-level graph.')
      enter(undefined)
      tab.editor.getState().select([left])
    },
    library: () => go(ADDRESS.workflows),
    models: () => go(ADDRESS.catalog),
  } satisfies Partial<Actions>
}

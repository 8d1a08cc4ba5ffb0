/** What changes how the canvas is looked at, and what leads elsewhere. */
import { ADDRESS } from '../../../addresses.ts'
import { viewOf } from '../canvas/link-ends.ts'
import type { CanvasPreferences } from '../store/canvas-store.ts'
import type { ActionPorts } from './ports.ts'
import type { Actions } from './shortcuts.ts'

type Looking =
  | 'fit'
  | 'zoomIn'
  | 'zoomOut'
  | 'zoomFull'
  | 'lock'
  | 'unlock'
  | 'nodes'
  | 'assets'
  | 'minimap'
  | 'snap'
  | 'wheel'
type Leading = 'enter' | 'leave' | 'library' | 'models'

/** The actions of this file. */
export type ViewActions = Pick<Actions, Looking | Leading>

/** Makes them. */
export function viewActions({ tab, canvas, flow, graph, lookAt, go }: ActionPorts): ViewActions {
  const { say, prefer, set } = canvas.getState()
  const preference = (name: Exclude<keyof CanvasPreferences, 'wheel' | 'sideWidth'>, on: string, off: string) => () => {
    const isOn = !canvas.getState().preferences[name]
    prefer({ [name]: isOn })
    say(isOn ? on : off)
  }
  return {
    fit: () => lookAt(tab.editor.getState().selection),
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
    snap: preference('snaps', 'What is moved snaps to the grid.', 'What is moved no longer snaps to the grid.'),
    wheel() {
      const wheel = canvas.getState().preferences.wheel === 'zoom' ? 'pan' : 'zoom'
      prefer({ wheel })
      say(wheel === 'zoom' ? 'The wheel zooms.' : 'The wheel moves the view; with Ctrl it zooms.')
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
      if (left === undefined) return say('This is the outermost graph.')
      enter(undefined)
      tab.editor.getState().select([left])
    },
    library: () => go(ADDRESS.workflows),
    models: () => go(ADDRESS.catalog),
  }
}

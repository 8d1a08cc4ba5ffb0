import type { NodeView } from '../../../../src-main/domain/workflow/view/node-view.ts'
import { shownInputs } from './geometry.ts'

const MODES = { always: '', mute: 'muted', bypass: 'bypassed' } as const
const KINDS: Partial<Record<NodeView['kind'], string>> = {
  unknown: 'of an unknown class',
  subgraph: 'a subgraph',
  note: 'a note',
  markdown: 'a note',
  reroute: 'a reroute',
}

/** What is read out of a node: its title, what it is, and what it is linked to. */
export function nodeWords(view: NodeView): string {
  const linked = view.inputs.filter(({ link }) => link !== undefined).length
  const inputs = shownInputs(view).length
  const parts = [
    view.title === '' ? 'Untitled' : view.title,
    KINDS[view.kind],
    MODES[view.mode],
    view.isCollapsed ? 'collapsed' : '',
    view.isPinned ? 'pinned' : '',
    inputs > 0 ? `${linked} of ${inputs} inputs linked` : '',
  ]
  return parts.filter(Boolean).join(', ')
}

/** What puts the selected nodes in order. */

import type { Alignment } from '../../../../src-main/domain/workflow/arrange/align.ts'
import { alignNodes, distributeNodes, layOutNodes } from '../../../../src-main/domain/workflow/arrange/arrange-nodes.ts'
import type { Axis } from '../../../../src-main/domain/workflow/arrange/distribute.ts'
import { type ActionPorts, editSelected } from './ports.ts'
import type { Actions } from './shortcuts.ts'

/** The actions of this file. */
export type ArrangeActions = Pick<
  Actions,
  ('layOut' | 'distributeAcross' | 'distributeDown') | ('alignLeft' | 'alignRight' | 'alignTop' | 'alignBottom')
>

/** Makes them. */
export function arrangeActions(ports: ActionPorts): ArrangeActions {
  const { address, tab, canvas, lookAt } = ports
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
      canvas.getState().say(selection.size > 0 ? 'The selection is arranged.' : 'All is arranged.')
      if (selection.size === 0) requestAnimationFrame(() => lookAt(new Set()))
    },
  }
}

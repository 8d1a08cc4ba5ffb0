/** Making and dissolving subgraphs. */
import { dissolve } from '../../../../src-main/domain/workflow/edit/dissolve.ts'
import { makeSubgraph } from '../../../../src-main/domain/workflow/edit/make-subgraph.ts'
import { selectNodes } from '../store/select-nodes.ts'
import { type ActionPorts, countOf } from './ports.ts'
import type { Actions } from './shortcuts.ts'

/** Makes the actions. */
export function subgraphActions({
  tab,
  canvas,
  address,
  newUuid,
}: ActionPorts): Pick<Actions, 'subgraph' | 'dissolve'> {
  const { say } = canvas.getState()
  const state = () => tab.editor.getState()
  return {
    subgraph() {
      const { selection, edit } = state()
      let host: string | undefined
      edit('Make a subgraph', (document) => {
        const made = makeSubgraph(document, address, { ids: selection, name: 'Subgraph', newUuid })
        host = made?.host
        return made?.document ?? document
      })
      if (host === undefined) return say('No node is selected.')
      selectNodes({ editor: tab.editor, canvas }, [host])
      say(`A subgraph of ${countOf(selection.size)} is made.`)
    },
    dissolve() {
      const { selection, edit, types } = state()
      const [id = ''] = selection
      let ids: readonly string[] | undefined
      edit('Dissolve a subgraph', (document) => {
        const dissolved = dissolve(document, address, id, types)
        ids = dissolved?.ids
        return dissolved?.document ?? document
      })
      if (ids === undefined) return say('No subgraph is selected.')
      selectNodes({ editor: tab.editor, canvas }, ids)
      say('The subgraph is dissolved.')
    },
  }
}

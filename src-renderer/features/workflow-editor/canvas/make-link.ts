import type { LinkEnd } from '../../../../src-main/domain/workflow/document/links.ts'
import { canConnect, connect, type InputEnd } from '../../../../src-main/domain/workflow/edit/connect.ts'
import type { GraphAddress } from '../../../../src-main/domain/workflow/edit/graph-at.ts'
import { removeLinks } from '../../../../src-main/domain/workflow/edit/remove.ts'
import type { AppStore } from '../../../store/app-store.ts'
import type { CanvasStore } from '../store/canvas-store.ts'
import type { EditorStore } from '../store/editor-store.ts'

/** What a link is made with by hand. */
export type LinkPorts = {
  readonly editor: EditorStore
  readonly canvas: CanvasStore
  readonly app: Pick<AppStore, 'getState'>
}

/** Makes a link, or says why there can be none. @param ends.taken id of the link whose end was taken, which goes */
export function makeLink(
  ports: LinkPorts,
  address: GraphAddress,
  { from, to, taken }: { readonly from: LinkEnd; readonly to: InputEnd; readonly taken?: string | undefined },
): void {
  const { document, types, edit } = ports.editor.getState()
  const answer = canConnect(document, address, { from, to, types })
  if (!answer.can) {
    refuseLink(ports, answer.why)
    return
  }
  edit('Link', (before) => {
    const without = taken === undefined ? before : removeLinks(before, address, new Set([taken]))
    return connect(without, address, { from, to, types })
  })
  ports.canvas.getState().say(`Linked to ${to.name}.`)
}

/** Says why there is no link, to those who see and to those who hear. */
export function refuseLink({ canvas, app }: Pick<LinkPorts, 'canvas' | 'app'>, why: string): void {
  canvas.getState().say(why)
  app.getState().tell({ kind: 'error', text: why })
}

/**
 * Uses the system clipboard, so that nodes move between windows. Keys get it through a browser event; the palette must
 * ask, and if refused, uses the copy of this window.
 */
import { copyNodes, duplicate, paste } from '../../../../src-main/features/workflows/rules/edit/clipboard.ts'
import { removeGroups } from '../../../../src-main/features/workflows/rules/edit/groups.ts'
import { removeNodes } from '../../../../src-main/features/workflows/rules/edit/remove.ts'
import { boundsOfNodes } from '../graph/viewport.ts'
import { selectNodes } from '../store/editor-store.ts'
import { type ActionPorts, countOf } from './edit-actions.ts'

const BESIDE = 30

export function clipboardActions(ports: ActionPorts) {
  const { app, tab, canvas, address, flow, graph, pointer, middle, newUuid } = ports
  const { say } = canvas.getState()
  let last: string | undefined

  // A selected group includes its nodes, as when it is moved.
  function chosen(): { readonly ids: ReadonlySet<string>; readonly groups: ReadonlySet<number> } {
    const boxes = [...canvas.getState().things].flatMap((id) => {
      const box = graph().byId.get(id)
      return box?.type === 'box' ? [box.data] : []
    })
    return {
      ids: new Set([...tab.editor.getState().selection, ...boxes.flatMap(({ members }) => members)]),
      groups: new Set(boxes.map(({ index }) => index)),
    }
  }

  function copied(isCut: boolean): string | undefined {
    const { document, edit } = tab.editor.getState()
    const { ids, groups } = chosen()
    if (ids.size + groups.size === 0) {
      say('No node is selected.')
      return undefined
    }
    last = copyNodes(document, address, ids, groups)
    if (isCut) {
      edit(`Cut ${countOf(ids.size)}`, (before) => removeGroups(removeNodes(before, address, ids), address, groups))
      selectNodes({ editor: tab.editor, canvas }, [])
    }
    say(`${countOf(ids.size)} ${isCut ? 'cut' : 'copied'}.`)
    return last
  }

  function pasteText(text: string, keepInbound: boolean): void {
    const { types, edit } = tab.editor.getState()
    const { x, y } = flow.screenToFlowPosition(pointer() ?? middle())
    let ids: readonly string[] = []
    let problem: string | undefined
    edit('Paste', (document) => {
      const pasted = paste(document, address, text, { pos: [x, y], keepInbound, types, newUuid })
      if ('problem' in pasted) {
        problem = pasted.problem
        return document
      }
      ids = [...pasted.ids.values()]
      return pasted.document
    })
    if (problem !== undefined) return void app.store.getState().notify({ kind: 'error', text: problem })
    selectNodes({ editor: tab.editor, canvas }, ids)
    say(`${countOf(ids.length)} pasted.`)
  }

  async function copyOut(isCut: boolean): Promise<void> {
    const text = copied(isCut)
    // If the browser refuses, pasting still works within this window.
    if (text !== undefined) await app.platform.copy(text).catch(() => {})
  }

  async function pasteIn(keepInbound: boolean): Promise<void> {
    const text = (await readClipboard()) ?? last
    if (text === undefined) say('The clipboard is empty.')
    else pasteText(text, keepInbound)
  }

  return {
    copied,
    pasteText,
    copy: () => void copyOut(false),
    cut: () => void copyOut(true),
    paste: () => void pasteIn(false),
    pasteLinked: () => void pasteIn(true),
    duplicate() {
      const { edit, document } = tab.editor.getState()
      const { ids: originals, groups } = chosen()
      const things = [...originals, ...canvas.getState().things]
      const corner = boundsOfNodes(things.flatMap((id) => graph().byId.get(id) ?? []))
      if (originals.size + groups.size === 0 || corner === undefined) return say('No node is selected.')
      let ids: readonly string[] = []
      edit(`Duplicate ${countOf(originals.size)}`, () => {
        const pos = [corner.x + BESIDE, corner.y + 2 * BESIDE] as const
        const copy = duplicate(document, address, originals, { groups, pos, keepInbound: true, newUuid })
        ids = [...copy.ids.values()]
        return copy.document
      })
      selectNodes({ editor: tab.editor, canvas }, ids)
      say(`${countOf(ids.length)} duplicated.`)
    },
  }
}

async function readClipboard(): Promise<string | undefined> {
  try {
    return await navigator.clipboard.readText()
  } catch {
    return undefined
  }
}

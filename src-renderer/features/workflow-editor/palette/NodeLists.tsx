import { findNodes } from '../../../../src-main/features/workflows/rules/find-nodes.ts'
import { payloadIdOf } from '../../../../src-main/features/workflows/rules/payload-ids.ts'
import { useApp } from '../../../store/app-context.ts'
import { slotColour } from '../graph/colours.ts'
import type { Flow } from '../graph/flow-graph.ts'
import { viewOf } from '../graph/links.ts'
import { fittingInputs, fittingOutputs, makeLink } from '../graph/make-link.ts'
import { type OpenOverlay, useCanvasStore } from '../store/canvas-store.ts'
import { useEditor, useTab } from '../store/editor-store.ts'
import {
  type Addable,
  addableSubgraphs,
  EDITOR_NODES,
  findNodeTypes,
  keyOf,
  nameOf,
  withSlot,
} from './addable-nodes.ts'
import { type PickItem, PickList } from './PickList.tsx'
import { useAddNode } from './use-add-node.ts'

export type ListProps<Kind extends OpenOverlay['kind']> = {
  readonly overlay: Extract<OpenOverlay, { kind: Kind }>
  readonly flow: Flow
  readonly onClose: () => void
}

export function AddNodeList({ overlay, onClose }: Omit<ListProps<'add'>, 'flow'>) {
  const types = useEditor((state) => state.types)
  const document = useEditor((state) => state.document)
  const addNode = useAddNode()
  const { link } = overlay
  const others = link === undefined || link.side === 'output' ? [...EDITOR_NODES, ...addableSubgraphs(document)] : []

  function find(typed: string): readonly PickItem<Addable>[] {
    const wish = link && ({ side: link.side === 'output' ? 'input' : 'output', type: link.type } as const)
    const fitting = withSlot([...types.values()], wish)
    const found = findNodeTypes(fitting, typed).map((type) => toItem({ kind: 'class', type }))
    const terms = typed.toLowerCase()
    const more = others.filter(
      (one) => nameOf(one).toLowerCase().includes(terms) && (link === undefined || one.kind === 'reroute'),
    )
    return [...found, ...more.map(toItem)]
  }

  return (
    <PickList
      label={link === undefined ? 'Add a node' : `Add a node for ${link.type}`}
      at={overlay.screen}
      find={find}
      nothing={types.size === 0 ? 'The node classes are not known yet.' : 'No node matches.'}
      onPick={(what) => {
        addNode(what, overlay.at, { link, isByKey: overlay.isByKey })
        onClose()
      }}
      onClose={onClose}
    />
  )
}

const detailOf = (what: Addable): string =>
  what.kind === 'class' ? what.type.category : what.kind === 'subgraph' ? 'subgraph' : 'editor'

const toItem = (what: Addable): PickItem<Addable> => {
  return { key: keyOf(what), label: nameOf(what), detail: detailOf(what), value: what }
}

const MOST = 200

export function FindNodeList({ overlay, onClose }: Omit<ListProps<'find'>, 'flow'>) {
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
      nothing="No node matches in its title, class or values."
      onPick={({ path, id }) => {
        editor.getState().reveal(path, [id])
        onClose()
      }}
      onClose={onClose}
    />
  )
}

export function OutputList({ overlay, flow, onClose }: ListProps<'output'>) {
  const canvas = useCanvasStore()
  const node = flow.byId.get(overlay.node)
  const outputs = node === undefined ? [] : fittingOutputs(node, '*')
  return (
    <PickList
      label={`Link from which output of ${viewOf(node)?.title ?? 'the node'}?`}
      at={overlay.screen}
      nothing="It has no such output."
      find={(typed) =>
        outputs
          .filter(({ name }) => name.toLowerCase().includes(typed.toLowerCase()))
          .map(({ name, type, end }) => {
            return { key: `${end.slot}`, label: name, detail: type, colour: slotColour(type), value: { end, type } }
          })
      }
      onPick={({ end, type }) => {
        const link = { side: 'output', from: end, type } as const
        canvas.getState().set({ overlay: { kind: 'input', screen: overlay.screen, link } })
      }}
      onClose={onClose}
    />
  )
}

export function InputList({ overlay, flow, onClose }: ListProps<'input'>) {
  const { editor } = useTab()
  const canvas = useCanvasStore()
  const { store } = useApp()
  const { link } = overlay
  if (link.side === 'input') return null
  const nodes = overlay.node === undefined ? [...flow.byId.values()] : [flow.byId.get(overlay.node)]
  const inputs = nodes.flatMap((node) => {
    if (node === undefined || node.id === link.from.node) return []
    const title = viewOf(node)?.title ?? ''
    return fittingInputs(node, link.type).map((slot) => ({ ...slot, title }))
  })

  return (
    <PickList
      label={`To which input for ${link.type}?`}
      at={overlay.screen}
      nothing={`No input takes ${link.type}.`}
      find={(typed) =>
        inputs
          .filter(({ name, title }) => `${title} ${name}`.toLowerCase().includes(typed.toLowerCase()))
          .map(({ name, title, type, end, isLinked }) => {
            const detail = `${title}${isLinked ? ', replaces its link' : ''}`
            return { key: `${end.node} ${end.name}`, label: name, detail, colour: slotColour(type), value: end }
          })
      }
      onPick={(to) => {
        makeLink({ editor, canvas, app: store }, flow.address, { from: link.from, to })
        onClose()
      }}
      onClose={onClose}
    />
  )
}

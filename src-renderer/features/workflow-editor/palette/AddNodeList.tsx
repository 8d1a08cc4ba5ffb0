import type { LooseLink, OpenOverlay } from '../store/canvas-store.ts'
import { useEditor } from '../store/editor-context.ts'
import { type Addable, addableSubgraphs, EDITOR_NODES, keyOf, nameOf } from './addable.ts'
import { findNodeTypes, withSlot } from './find-node-types.ts'
import { type PickItem, PickList } from './PickList.tsx'
import { useAddNode } from './use-add-node.ts'

/** Adds a node where it was asked for; for a link that ends nowhere those that it fits. */
export function AddNodeList({
  overlay,
  onClose,
}: {
  readonly overlay: Extract<OpenOverlay, { kind: 'add' }>
  readonly onClose: () => void
}) {
  const types = useEditor((state) => state.types)
  const document = useEditor((state) => state.document)
  const addNode = useAddNode()
  const { link } = overlay
  const others = link === undefined || link.side === 'output' ? [...EDITOR_NODES, ...addableSubgraphs(document)] : []

  function find(typed: string): readonly PickItem<Addable>[] {
    const fitting = withSlot([...types.values()], wishOf(link))
    const found = findNodeTypes(fitting, typed).map((type) => toItem({ kind: 'class', type }))
    const words = typed.toLowerCase()
    const more = others.filter(
      (one) => nameOf(one).toLowerCase().includes(words) && (link === undefined || one.kind === 'reroute'),
    )
    return [...found, ...more.map(toItem)]
  }

  return (
    <PickList
      label={link === undefined ? 'Add a node' : `Add a node for ${link.type}`}
      at={overlay.screen}
      find={find}
      nothing={types.size === 0 ? 'The classes of nodes are not known yet.' : 'No node is called that.'}
      onPick={(what) => {
        addNode(what, overlay.at, { link, isByKey: overlay.isByKey })
        onClose()
      }}
      onClose={onClose}
    />
  )
}

// What the other end of the link must have.
const wishOf = (link: LooseLink | undefined) =>
  link && ({ side: link.side === 'output' ? 'input' : 'output', type: link.type } as const)

const detailOf = (what: Addable): string =>
  what.kind === 'class' ? what.type.category : what.kind === 'subgraph' ? 'subgraph' : 'editor'

const toItem = (what: Addable): PickItem<Addable> => {
  return { key: keyOf(what), label: nameOf(what), detail: detailOf(what), value: what }
}

import { subgraphsOf } from '../../../../src-main/domain/workflow/document/document.ts'
import type { LooseLink, OpenOverlay } from '../store/canvas-store.ts'
import { useEditor } from '../store/editor-context.ts'
import { findNodeTypes, withSlot } from './find-node-types.ts'
import { type PickItem, PickList } from './PickList.tsx'
import { type Addable, nameOf, useAddNode } from './use-add-node.ts'

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
  const others = link === undefined || link.side === 'output' ? othersOf(document) : []

  function find(typed: string): readonly PickItem<Addable>[] {
    const fitting = withSlot([...types.values()], wishOf(link))
    const found = findNodeTypes(fitting, typed).map((type): PickItem<Addable> => {
      return { key: type.name, label: type.displayName, detail: type.category, value: { kind: 'class', type } }
    })
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
        addNode(what, overlay.at, link)
        onClose()
      }}
      onClose={onClose}
    />
  )
}

// What the other end of the link must have.
const wishOf = (link: LooseLink | undefined) =>
  link && ({ side: link.side === 'output' ? 'input' : 'output', type: link.type } as const)

function othersOf(document: Parameters<typeof subgraphsOf>[0]): readonly Addable[] {
  const subgraphs = [...subgraphsOf(document).values()].map(({ id = '', name = 'Subgraph' }): Addable => {
    return { kind: 'subgraph', definition: id, name }
  })
  return [{ kind: 'note' }, { kind: 'markdown' }, { kind: 'reroute' }, ...subgraphs]
}

function toItem(what: Addable): PickItem<Addable> {
  const key = what.kind === 'subgraph' ? what.definition : what.kind
  return { key: `:${key}`, label: nameOf(what), detail: what.kind === 'subgraph' ? 'subgraph' : 'editor', value: what }
}

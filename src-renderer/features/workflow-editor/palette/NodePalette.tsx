import clsx from 'clsx'
import { ChevronRight } from 'lucide-react'
import { type DragEvent, useEffect, useMemo, useState } from 'react'
import { findNodes } from '../../../../src-main/features/workflows/rules/find-nodes.ts'
import { typesHere } from '../../../../src-main/features/workflows/rules/node-types.ts'
import { payloadIdOf } from '../../../../src-main/features/workflows/rules/payload-ids.ts'
import { useApp } from '../../../store/app-context.ts'
import type { Command } from '../../../store/app-slices.ts'
import { SearchField } from '../../../ui/form/Field.tsx'
import { useEditor, useTab } from '../store/editor-store.ts'
import {
  type Addable,
  addableSubgraphs,
  type Category,
  categoriesOf,
  EDITOR_NODES,
  findNodeTypes,
  keyOf,
  nameOf,
  writeDragged,
} from './addable-nodes.ts'
import { useAddInSight } from './use-add-node.ts'
import { useBlueprints } from './use-blueprints.ts'

const MOST_FOUND = 100

export function NodePalette() {
  const types = useEditor((state) => state.types)
  const definitions = useEditor((state) => state.document.definitions)
  const [typed, setTyped] = useState('')
  const categories = useMemo(() => categoriesOf(typesHere(types)), [types])
  const found = useMemo(
    () => (typed === '' ? [] : findNodeTypes([...typesHere(types).values()], typed)),
    [types, typed],
  )
  const blueprints = useBlueprints()
  const subgraphs = useMemo(() => addableSubgraphs({ definitions }), [definitions])
  return (
    <section
      aria-label="Nodes"
      // As narrow as the longest entry, but steady while the user types.
      className={clsx('flex min-h-0 max-w-56 min-w-40 flex-1 flex-col', typed === '' ? 'w-max' : 'w-56')}
    >
      <div className="shrink-0 border-b border-line p-2 [&>div]:w-0 [&>div]:min-w-full">
        <SearchField label="Search nodes" value={typed} onChange={setTyped} />
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto p-1 [scrollbar-gutter:stable]">
        {typed === '' ? (
          <>
            {blueprints.length > 0 && <Folder name="Blueprints" all={blueprints} />}
            {subgraphs.length > 0 && <Folder name="Subgraphs" all={subgraphs} />}
            <Folder name="Editor" all={EDITOR_NODES} />
            {categories.map((category) => (
              <CategoryFolder key={category.path} category={category} />
            ))}
            {types.size === 0 && <p className="p-2 text-ink-2">The node classes of this endpoint are not known yet.</p>}
          </>
        ) : (
          <ul>
            {found.slice(0, MOST_FOUND).map((type) => (
              <Entry key={type.name} what={{ kind: 'class', type }} detail={type.category} />
            ))}
          </ul>
        )}
        {typed !== '' && found.length === 0 && <p className="p-2 text-ink-2">No node matches.</p>}
        {found.length > MOST_FOUND && (
          <p className="p-2 text-small text-ink-2">{found.length - MOST_FOUND} more: refine the search to find them.</p>
        )}
      </div>
    </section>
  )
}

function CategoryFolder({ category }: { readonly category: Category }) {
  const all = category.types.map((type): Addable => ({ kind: 'class', type }))
  return <Folder name={category.name} all={all} within={category.within} />
}

type FolderProps = {
  readonly name: string
  readonly all: readonly Addable[]
  readonly within?: readonly Category[]
}

function Folder({ name, all, within = [] }: FolderProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <div>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex h-7 w-full items-center gap-1 rounded-control px-1 hover:bg-surface-2"
      >
        <ChevronRight aria-hidden className={isOpen ? 'size-3.5 rotate-90' : 'size-3.5'} />
        <span className="truncate">{name}</span>
        <span className="ml-auto text-small text-ink-2">{countIn(all, within)}</span>
      </button>
      {isOpen && (
        <div className="ml-2.5 border-l border-line pl-1">
          {within.map((category) => (
            <CategoryFolder key={category.path} category={category} />
          ))}
          <ul>
            {all.map((what) => (
              <Entry key={keyOf(what)} what={what} />
            ))}
          </ul>
        </div>
      )}
    </div>
  )
}

const countIn = (all: readonly unknown[], within: readonly Category[]): number =>
  within.reduce((sum, { types, within: inner }) => sum + countIn(types, inner), all.length)

function Entry({ what, detail }: { readonly what: Addable; readonly detail?: string }) {
  const addInSight = useAddInSight()
  const help = what.kind === 'class' ? what.type.description : ''
  return (
    <li>
      <button
        type="button"
        draggable
        title={help === '' ? undefined : help}
        onDragStart={(event: DragEvent) => writeDragged(event.dataTransfer, what)}
        onClick={() => addInSight(what)}
        className="flex min-h-7 w-full flex-col items-start rounded-control px-2 py-0.5 text-left hover:bg-surface-2"
      >
        <span className="w-full truncate">{nameOf(what)}</span>
        {detail !== undefined && <span className="w-full truncate text-small text-ink-2">{detail}</span>}
      </button>
    </li>
  )
}

const MOST = 20

export function NodesInPalette() {
  const { store } = useApp()
  const { editor } = useTab()
  useEffect(
    () =>
      store.getState().offerFinder((typed): readonly Command[] => {
        const { document, types } = editor.getState()
        return findNodes(document, types, { text: typed, most: MOST }).map(({ path, id, title, detail }) => {
          const name = payloadIdOf(document, path, id)
          return {
            id: `node ${name}`,
            group: 'Nodes of this graph',
            label: title,
            detail: `${detail} · ${name}`,
            // It was found by words that may not be in its title.
            also: typed,
            run: () => editor.getState().reveal(path, [id]),
          }
        })
      }),
    [store, editor],
  )
  return null
}

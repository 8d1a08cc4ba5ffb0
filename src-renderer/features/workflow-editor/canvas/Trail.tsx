import { ChevronRight } from 'lucide-react'
import { subgraphsOf, type WorkflowDocument } from '../../../../src-main/domain/workflow/document/document.ts'
import { graphAt } from '../../../../src-main/domain/workflow/edit/graph-at.ts'
import { useEditor, useTab } from '../store/editor-context.ts'

/** The subgraphs that were entered, each leads back. Nothing in the outermost graph. */
export function Trail() {
  const { editor } = useTab()
  const path = useEditor((state) => state.path)
  const document = useEditor((state) => state.document)
  if (path.length === 0) return null
  const names = namesOf(document, path)
  const leaveTo = (depth: number) => {
    for (let left = path.length; left > depth; left -= 1) editor.getState().enter(undefined)
  }
  return (
    <nav
      aria-label="Subgraphs"
      className="absolute top-2 left-2 z-10 max-w-[calc(100%-260px)] overflow-x-auto rounded-control border border-line bg-surface-1 px-2 py-1 shadow-float"
    >
      <ol className="flex items-center gap-1">
        {['Workflow', ...names].map((name, depth) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a place in the trail is its depth
          <li key={depth} className="flex items-center gap-1">
            {depth > 0 && <ChevronRight aria-hidden className="size-3.5 text-ink-2" />}
            {depth === path.length ? (
              <span aria-current="location" className="max-w-48 truncate font-medium">
                {name}
              </span>
            ) : (
              <button
                type="button"
                onClick={() => leaveTo(depth)}
                className="max-w-48 truncate text-ink-2 hover:text-ink hover:underline"
              >
                {name}
              </button>
            )}
          </li>
        ))}
      </ol>
    </nav>
  )
}

function namesOf(document: WorkflowDocument, path: readonly string[]): readonly string[] {
  const definitions = subgraphsOf(document)
  let at: string | undefined
  return path.map((id) => {
    const node = graphAt(document, at)?.nodes.items.find((one) => one.id === id)
    at = node?.type
    return node?.title ?? definitions.get(at ?? '')?.name ?? 'Subgraph'
  })
}

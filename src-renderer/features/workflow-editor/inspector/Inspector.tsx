import { DocumentSummary } from './DocumentSummary.tsx'
import { NodeInspector } from './NodeInspector.tsx'
import { SeveralNodes } from './SeveralNodes.tsx'
import { useSelected } from './use-selected.ts'

/** What is selected, in large; with nothing selected the graph itself. It scrolls within itself. */
export function Inspector() {
  const selected = useSelected()
  const [only] = selected
  return (
    <section aria-label="Inspector" className="min-h-0 min-w-0 flex-1 overflow-y-auto bg-surface-1">
      {selected.length > 1 ? (
        <SeveralNodes selected={selected} />
      ) : only !== undefined ? (
        <NodeInspector {...only} />
      ) : (
        <DocumentSummary />
      )}
    </section>
  )
}

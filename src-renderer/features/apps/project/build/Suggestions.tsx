import { Check } from 'lucide-react'
import type { BuildView } from '../../../../../src-main/contract/projects.ts'
import { Button } from '../../../../ui/Button.tsx'
import { Card } from '../../../../ui/Card.tsx'
import { CopyButton } from '../../../../ui/CopyButton.tsx'
import { bytes } from '../../../../ui/format.ts'

/** What could stay out of the artifact. */
export type SuggestionsProps = {
  readonly suggestions: NonNullable<BuildView['result']>['suggestions']
  readonly excluded: readonly string[]
  readonly onExclude: (name: string) => void
}

/** What is large and perhaps not needed: a package goes with a click, a file with a line in the project. */
export function Suggestions({ suggestions, excluded, onExclude }: SuggestionsProps) {
  if (suggestions.length === 0) return null
  return (
    <Card title="Could stay out">
      <ul aria-label="Could stay out" className="flex flex-col">
        {suggestions.map((one) => (
          <li
            key={`${one.how} ${one.entry}`}
            className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line/60 px-3 py-1.5 last:border-0"
          >
            <span className="min-w-0 font-medium break-all">{one.path}</span>
            <span className="text-ink-2">{bytes(one.bytes)}</span>
            <span className="min-w-60 flex-1 text-ink-2">{one.why}</span>
            {one.how === 'exclude' ? (
              <ExcludeButton
                name={one.entry}
                isExcluded={excluded.includes(one.entry)}
                onExclude={() => onExclude(one.entry)}
              />
            ) : (
              <span className="flex items-center gap-1 text-small text-ink-2">
                Line for <code className="font-mono">.gitignore</code>:{' '}
                <code className="font-mono text-ink">{one.entry}</code>
                <CopyButton text={one.entry} what="line" />
              </span>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}

type ExcludeButtonProps = { readonly name: string; readonly isExcluded: boolean; readonly onExclude: () => void }

function ExcludeButton({ name, isExcluded, onExclude }: ExcludeButtonProps) {
  if (!isExcluded) return <Button onClick={onExclude}>Leave {name} out</Button>
  return (
    <span className="flex items-center gap-1.5 text-ink-2">
      <Check aria-hidden className="size-4 text-completed" /> left out of the next build
    </span>
  )
}

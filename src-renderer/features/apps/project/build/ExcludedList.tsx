import { X } from 'lucide-react'
import { IconButton } from '../../../../ui/IconButton.tsx'
import type { Excludes } from '../use-excludes.ts'

/** The packages that the next build leaves out; each can be taken in again. */
export function ExcludedList({ excludes: { names, remove } }: { readonly excludes: Excludes }) {
  if (names.length === 0) return null
  return (
    <div className="flex flex-wrap items-center gap-2">
      <span className="text-ink-2">Left out of the next build:</span>
      <ul aria-label="Left out" className="flex flex-wrap gap-2">
        {names.map((name) => (
          <li key={name} className="flex items-center rounded-control border border-line bg-surface-1 pl-2">
            {name}
            <IconButton label={`Take ${name} in again`} onClick={() => remove(name)}>
              <X />
            </IconButton>
          </li>
        ))}
      </ul>
    </div>
  )
}

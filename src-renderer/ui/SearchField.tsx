import { Search } from 'lucide-react'
import type { KeyboardEvent } from 'react'

/** The search of a page. `/` leads into it, Enter and the down arrow from it to what was found; Escape clears it. */
export type SearchFieldProps = {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

function onKeyDown(event: KeyboardEvent<HTMLInputElement>): void {
  const { key, currentTarget } = event
  if (key === 'Escape' && currentTarget.value === '') currentTarget.blur()
  if (key !== 'Enter' && key !== 'ArrowDown') return
  event.preventDefault()
  document.querySelector<HTMLElement>('[role="grid"], [role="log"], [data-card]')?.focus()
}

/** A field to search with. */
export function SearchField({ label, value, onChange }: SearchFieldProps) {
  return (
    <div className="relative">
      <Search aria-hidden className="pointer-events-none absolute top-1.5 left-2 size-4 text-ink-2" />
      <input
        type="search"
        data-search
        aria-label={label}
        placeholder={label}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
        className="h-7 w-56 rounded-control border border-line-strong/60 bg-surface-1 pr-2 pl-8 placeholder:text-ink-2"
      />
    </div>
  )
}

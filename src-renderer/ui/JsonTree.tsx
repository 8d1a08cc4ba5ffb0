import { ChevronRight } from 'lucide-react'
import { useState } from 'react'

export type JsonTreeProps = { readonly value: unknown; readonly open?: number }

// A list of a million numbers must not block the window; a press shows the rest.
const SHOWN_AT_ONCE = 100
const LONG_TEXT = 500
// Text without a space is data, like a base64 picture; only its start is worth reading.
const LONG_DATA = 80

export function JsonTree({ value, open = 2 }: JsonTreeProps) {
  return (
    <div className="overflow-x-auto font-mono text-small">
      <Value value={value} open={open} />
    </div>
  )
}

function Value({ value, open, name }: JsonTreeProps & { readonly open: number; readonly name?: string }) {
  if (typeof value === 'object' && value !== null)
    return <Branch value={value} open={open} {...(name === undefined ? {} : { name })} />
  return (
    <div className="pl-4">
      <Name name={name} />
      <Leaf value={value} />
    </div>
  )
}

function Branch({ value, open, name }: { readonly value: object; readonly open: number; readonly name?: string }) {
  const [unfolded, setUnfolded] = useState(open > 0)
  const [shown, setShown] = useState(SHOWN_AT_ONCE)
  const entries = Object.entries(value)
  const [left, right] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  if (entries.length === 0)
    return (
      <div className="pl-4">
        <Name name={name} />
        {left + right}
      </div>
    )
  return (
    <div>
      <button
        type="button"
        aria-expanded={unfolded}
        onClick={() => setUnfolded(!unfolded)}
        className="flex items-center rounded-control hover:bg-surface-2"
      >
        <ChevronRight aria-hidden className={unfolded ? 'size-4 rotate-90' : 'size-4'} />
        <Name name={name} />
        {left}
        {!unfolded && <span className="text-ink-2">{` ${entries.length} ${right}`}</span>}
      </button>
      {unfolded && (
        <div className="ml-2 border-l border-line pl-2">
          {entries.slice(0, shown).map(([key, item]) => (
            <Value key={key} name={key} value={item} open={open - 1} />
          ))}
          {entries.length > shown && (
            <button type="button" onClick={() => setShown(shown * 10)} className="pl-4 text-accent hover:underline">
              {entries.length - shown} more
            </button>
          )}
          <div className="-ml-2 pl-2">{right}</div>
        </div>
      )}
    </div>
  )
}

function Name({ name }: { readonly name: string | undefined }) {
  return name === undefined ? null : <span className="mr-1 text-ink-2">{name}:</span>
}

function Leaf({ value }: { readonly value: unknown }) {
  const [whole, setWhole] = useState(false)
  if (typeof value !== 'string') return <span className="text-running">{String(value)}</span>
  const most = value.slice(0, LONG_TEXT).includes(' ') ? LONG_TEXT : LONG_DATA
  if (whole || value.length <= LONG_TEXT)
    return <span className="break-words whitespace-pre-wrap text-completed">{JSON.stringify(value)}</span>
  return (
    <>
      <span className="break-all text-completed">{JSON.stringify(value.slice(0, most)).slice(0, -1)}…</span>{' '}
      <button type="button" onClick={() => setWhole(true)} className="text-accent hover:underline">
        {value.length.toLocaleString('en')} characters
      </button>
    </>
  )
}

import { bytes } from '../format.ts'

/** JSON as text. */
export type RawOutputProps = { readonly text: string; readonly label: string }

// More than this in one element makes the window stutter; the rest is copied or saved.
const SHOWN = 200_000

/** JSON as it came, in lines; of a very large one the beginning. */
export function RawOutput({ text, label }: RawOutputProps) {
  return (
    <div className="min-w-0">
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
        tabIndex={0}
        aria-label={`${label} as JSON`}
        className="max-h-[32rem] overflow-auto rounded-control border border-line bg-surface-0 p-3 font-mono text-small break-all whitespace-pre-wrap"
      >
        {text.slice(0, SHOWN)}
      </section>
      {text.length > SHOWN && (
        <p className="mt-1 text-small text-ink-2">
          The first {bytes(SHOWN)} of {bytes(text.length)}. Copy it to have all of it.
        </p>
      )}
    </div>
  )
}

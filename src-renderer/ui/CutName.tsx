/** A name that may be long. */
export type CutNameProps = { readonly name: string }

// What stays at the end of a name that is cut: enough to tell `…-production` and `…-v2` apart, in characters.
const END = 12
// Shorter ones have room nearly everywhere.
const SHORT = 20

/** A name that is cut in its middle where there is no room, as names of one app differ at their ends. */
export function CutName({ name }: CutNameProps) {
  if (name.length <= SHORT) return <span className="truncate">{name}</span>
  const at = name.length - END
  return (
    <span title={name} className="inline-flex min-w-0 max-w-full overflow-hidden align-bottom">
      <span className="truncate whitespace-pre">{name.slice(0, at)}</span>
      <span className="shrink-0 whitespace-pre">{name.slice(at)}</span>
    </span>
  )
}

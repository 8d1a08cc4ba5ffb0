import { useQuery } from '@tanstack/react-query'
import { assetAddress } from '../widgets/upload-asset.ts'

/** A text that a node gave. */
export type NodeTextProps = { readonly asset: string; readonly name: string }

// As much as anybody reads on a node, in bytes; the whole of it is in the panel of results.
const SHOWN_BYTES = 4000

/** The text that a node gave, as Preview as Text shows it. */
export function NodeText({ asset, name }: NodeTextProps) {
  const { data, error } = useQuery({ queryKey: ['text-of-asset', asset], queryFn: () => readStart(asset) })
  return (
    <section
      aria-label={name}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
      tabIndex={0}
      className="nodrag nowheel max-h-40 min-h-8 shrink-0 overflow-y-auto rounded-control bg-surface-0 px-1.5 py-1 text-small break-words whitespace-pre-wrap"
    >
      {error === null ? data : 'This text is not there any more.'}
    </section>
  )
}

async function readStart(asset: string): Promise<string> {
  const answer = await fetch(assetAddress(asset), { headers: { range: `bytes=0-${SHOWN_BYTES - 1}` } })
  if (!answer.ok) throw new Error(`The service answered ${answer.status}.`)
  const [, whole = '0'] = /\/(\d+)$/.exec(answer.headers.get('content-range') ?? '') ?? []
  const text = await answer.text()
  return Number(whole) > SHOWN_BYTES ? `${text} …` : text
}

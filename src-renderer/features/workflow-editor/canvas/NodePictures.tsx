import { useQuery } from '@tanstack/react-query'
import type { RunResult } from '../../../../src-main/contract/workflows.ts'
import { mediaKind } from '../run/RunMedia.tsx'
import type { NodeProgress } from '../store/run-store.ts'
import { assetAddress } from '../widgets/upload-asset.ts'

/** @param hangs below the node, which has no room for it */
export function NodePictures({ progress, hangs }: { readonly progress: NodeProgress; readonly hangs: boolean }) {
  const pictures = picturesOf(progress)
  const others = othersOf(progress)
  if (pictures.length + others.length === 0) return null
  return (
    <div
      className={
        hangs
          ? 'hangs absolute inset-x-0 top-full mt-1 flex max-h-80 flex-col gap-1 rounded-control border border-line bg-surface-1 p-1'
          : 'flex min-h-0 flex-1 flex-col gap-1 p-1'
      }
    >
      {pictures.length > 0 && (
        <div
          className="grid min-h-0 flex-1 gap-1"
          style={{ gridTemplateColumns: `repeat(${Math.ceil(Math.sqrt(pictures.length))}, minmax(0, 1fr))` }}
        >
          {pictures.map(({ key, address, label, kind }) =>
            kind === 'video' ? (
              // biome-ignore lint/a11y/useMediaCaption: what a worker made has no captions
              <video
                key={key}
                src={address}
                aria-label={label}
                controls
                className="nodrag size-full min-h-0 object-contain"
              />
            ) : (
              <img key={key} src={address} alt={label} draggable={false} className="size-full min-h-0 object-contain" />
            ),
          )}
        </div>
      )}
      {others.map(({ asset, filename, mediaType }) =>
        mediaType === 'text/plain' ? (
          <NodeText key={`${asset} ${filename}`} asset={asset} name={filename} />
        ) : (
          // biome-ignore lint/a11y/useMediaCaption: what a worker made has no captions
          <audio
            key={`${asset} ${filename}`}
            src={assetAddress(asset)}
            aria-label={filename}
            controls
            className="nodrag h-10 w-full shrink-0"
          />
        ),
      )}
    </div>
  )
}

type Picture = {
  readonly key: string
  readonly address: string
  readonly label: string
  readonly kind: 'image' | 'video'
}

const MOST = 4

function picturesOf({ preview, results, state }: NodeProgress): readonly Picture[] {
  const made = (results ?? []).flatMap(({ asset, filename, mediaType }): Picture[] => {
    const kind = mediaKind({ mediaType })
    return kind === 'image' || kind === 'video'
      ? [{ key: asset, address: assetAddress(asset), label: filename, kind }]
      : []
  })
  if (made.length > 0) return made.slice(0, MOST)
  if (preview === undefined || state === 'failed') return []
  return [{ key: 'preview', address: preview, label: 'Preview', kind: 'image' }]
}

const othersOf = ({ results = [] }: NodeProgress): readonly RunResult[] =>
  results.filter((one) => mediaKind(one) === 'audio' || one.mediaType === 'text/plain').slice(0, MOST)

// Readable amount, in bytes; the results panel has everything.
const SHOWN_BYTES = 4000

function NodeText({ asset, name }: { readonly asset: string; readonly name: string }) {
  const { data, error } = useQuery({ queryKey: ['text-of-asset', asset], queryFn: () => readStart(asset) })
  return (
    <section
      aria-label={name}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
      tabIndex={0}
      className="nodrag nowheel max-h-40 min-h-8 shrink-0 overflow-y-auto rounded-control bg-surface-0 px-1.5 py-1 text-small break-words whitespace-pre-wrap"
    >
      {error === null ? data : 'This text is no longer available.'}
    </section>
  )
}

async function readStart(asset: string): Promise<string> {
  const response = await fetch(assetAddress(asset), { headers: { range: `bytes=0-${SHOWN_BYTES - 1}` } })
  if (!response.ok) throw new Error(`The service answered ${response.status}.`)
  const [, whole = '0'] = /\/(\d+)$/.exec(response.headers.get('content-range') ?? '') ?? []
  const text = await response.text()
  return Number(whole) > SHOWN_BYTES ? `${text} …` : text
}

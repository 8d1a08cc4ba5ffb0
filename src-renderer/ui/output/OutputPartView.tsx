import { Download, ExternalLink } from 'lucide-react'
import { useState } from 'react'
import type { OutputPart } from './find-parts.ts'

const SHOWN_TEXT = 20_000

/** One part of an output, with where it is in it. */
export function OutputPartView({ part }: { readonly part: OutputPart }) {
  return (
    <figure className="flex min-w-0 flex-col gap-1">
      {part.path !== '' && (
        <figcaption className="flex items-center gap-2 font-mono text-small text-ink-2">
          <span className="truncate">{part.path}</span>
          {'source' in part && (
            <a
              href={part.source}
              download={fileName(part.path)}
              aria-label={`Save ${part.path}`}
              className="rounded-control p-1 hover:bg-surface-2 hover:text-ink [&_svg]:size-4"
            >
              <Download aria-hidden />
            </a>
          )}
        </figcaption>
      )}
      <Content part={part} />
    </figure>
  )
}

function Content({ part }: { readonly part: OutputPart }) {
  const name = part.path === '' ? 'output' : part.path
  switch (part.kind) {
    case 'image':
      return <Picture source={part.source} name={name} />
    case 'audio':
      // biome-ignore lint/a11y/useMediaCaption: nobody has written captions for what a worker has just made
      return <audio controls src={part.source} aria-label={name} className="w-full max-w-md" />
    case 'video':
      // biome-ignore lint/a11y/useMediaCaption: as above
      return <video controls src={part.source} aria-label={name} className="max-h-96 max-w-full self-start" />
    case 'text':
      return <LongText text={part.text} />
    case 'link':
      return (
        // The policy of the pages loads nothing from elsewhere, so a picture at an address is a link.
        <a
          href={part.address}
          target="_blank"
          rel="noopener noreferrer"
          className="inline-flex items-center gap-1 self-start break-all text-accent hover:underline [&_svg]:size-4 [&_svg]:shrink-0"
        >
          {part.address} <ExternalLink aria-hidden />
        </a>
      )
  }
}

function Picture({ source, name }: { readonly source: string; readonly name: string }) {
  const [broken, setBroken] = useState(false)
  const [size, setSize] = useState('')
  if (broken)
    return (
      <p className="text-small text-ink-2">The browser cannot show this picture: its data is cut off or damaged.</p>
    )
  return (
    <div className="flex flex-col gap-1">
      <img
        src={source}
        alt={name}
        onError={() => setBroken(true)}
        onLoad={({ currentTarget }) => setSize(`${currentTarget.naturalWidth} × ${currentTarget.naturalHeight}`)}
        className="max-h-96 max-w-full self-start rounded-control border border-line object-contain"
      />
      <span className="h-4 text-small text-ink-2">{size}</span>
    </div>
  )
}

function LongText({ text }: { readonly text: string }) {
  const [whole, setWhole] = useState(false)
  const cut = !whole && text.length > SHOWN_TEXT
  return (
    <div className="flex flex-col items-start gap-1">
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
        tabIndex={0}
        aria-label="Text"
        className="max-h-80 w-full overflow-y-auto rounded-control border border-line bg-surface-0 px-3 py-2 break-words whitespace-pre-wrap"
      >
        {cut ? `${text.slice(0, SHOWN_TEXT)}…` : text}
      </section>
      {cut && (
        <button type="button" onClick={() => setWhole(true)} className="text-accent hover:underline">
          All {text.length.toLocaleString('en')} characters
        </button>
      )}
    </div>
  )
}

const fileName = (path: string) => path.replace(/\W+/g, '-').replace(/^-|-$/g, '') || 'output'

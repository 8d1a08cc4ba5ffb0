import { Download, ExternalLink } from 'lucide-react'
import { useState } from 'react'
import { keepStart } from '../../../src-main/lib/text.ts'
import { Scrolling } from '../Scrolling.tsx'

const SHOWN_TEXT = 20_000

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
        // The pages' CSP loads nothing from elsewhere, so a remote picture is a link.
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
      <p className="text-small text-ink-2">The browser cannot show this picture: its data is incomplete or damaged.</p>
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
      <Scrolling
        label="Text"
        className="max-h-80 w-full overflow-y-auto rounded-control border border-line bg-surface-0 px-3 py-2 break-words whitespace-pre-wrap"
      >
        {cut ? keepStart(text, SHOWN_TEXT) : text}
      </Scrolling>
      {cut && (
        <button type="button" onClick={() => setWhole(true)} className="text-accent hover:underline">
          All {text.length.toLocaleString('en')} characters
        </button>
      )}
    </div>
  )
}

const fileName = (path: string) => path.replace(/\W+/g, '-').replace(/^-|-$/g, '') || 'output'

// Extracts media and long texts from a value. Workers send media as data URLs or untyped base64, recognized by its
// first bytes.

type OutputPart =
  | { readonly kind: 'image' | 'audio' | 'video'; readonly path: string; readonly source: string }
  | { readonly kind: 'text'; readonly path: string; readonly text: string }
  | { readonly kind: 'link'; readonly path: string; readonly address: string }

// A value with a million entries must not freeze the window, and nobody looks at more pictures at once.
const MOST_PARTS = 50
const MOST_VISITED = 20_000
const LONG_LINE = 120

const DATA_ADDRESS = /^data:(image|audio|video)\/[\w.+-]+(;[\w=.+-]+)*,/
/** Base64 prefixes of magic bytes; three bytes are four characters. */
const MAGIC: readonly (readonly [start: RegExp, type: string])[] = [
  [/^iVBORw0KGgo/, 'image/png'],
  [/^\/9j\//, 'image/jpeg'],
  [/^R0lGOD/, 'image/gif'],
  [/^UklGR.{6}XRUJQ/, 'image/webp'],
  [/^UklGR.{6}XQVZF/, 'audio/wav'],
  [/^SUQz/, 'audio/mpeg'],
  [/^T2dnUw/, 'audio/ogg'],
  [/^AAAA.{2}Z0eX/, 'video/mp4'],
]
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

export function findParts(value: unknown): readonly OutputPart[] {
  const parts: OutputPart[] = []
  let visited = 0

  function visit(item: unknown, path: string): void {
    visited += 1
    if (visited > MOST_VISITED || parts.length >= MOST_PARTS) return
    if (typeof item === 'string') {
      const part = partOf(item, path)
      if (part !== undefined) parts.push(part)
    } else if (Array.isArray(item)) {
      for (const [at, one] of item.entries()) visit(one, `${path}[${at}]`)
    } else if (typeof item === 'object' && item !== null) {
      for (const [name, one] of Object.entries(item)) visit(one, path === '' ? name : `${path}.${name}`)
    }
  }

  visit(value, '')
  return parts
}

function partOf(text: string, path: string): OutputPart | undefined {
  const kind = DATA_ADDRESS.exec(text)?.[1] as 'image' | 'audio' | 'video' | undefined
  if (kind !== undefined) return { kind, path, source: text }
  const type = typeOfBase64(text)
  if (type !== undefined)
    return { kind: type.split('/', 1)[0] as 'image' | 'audio' | 'video', path, source: `data:${type};base64,${text}` }
  if (/^https?:\/\/\S+$/.test(text)) return { kind: 'link', path, address: text }
  if (path === '' || text.includes('\n') || text.length > LONG_LINE) return { kind: 'text', path, text }
  return undefined
}

function typeOfBase64(text: string): string | undefined {
  if (text.length < 40) return undefined
  const type = MAGIC.find(([start]) => start.test(text.slice(0, 24)))?.[1]
  return type !== undefined && BASE64.test(text) ? type : undefined
}

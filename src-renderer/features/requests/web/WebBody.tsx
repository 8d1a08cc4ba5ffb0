import { useEffect, useState } from 'react'
import { parseExact } from '../../../../src-main/domain/json/exact-json.ts'
import { bytes } from '../../../ui/format.ts'
import { OutputView } from '../../../ui/output/OutputView.tsx'
import { RawOutput } from '../../../ui/output/RawOutput.tsx'

/** The body of an answer. */
export type WebBodyProps = {
  readonly body: Blob
  /** Whether it is only the beginning. */
  readonly cut: boolean
}

/** A body by its type: JSON as an output, pictures, sound and films as such, text as text, and anything else to be saved. */
export function WebBody({ body, cut }: WebBodyProps) {
  const [family] = body.type.split('/', 1)
  if (body.size === 0) return <p className="text-ink-2">The answer has no body.</p>
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {cut && <p className="text-ink-2">The first {bytes(body.size)}; curl has all of it.</p>}
      {isText(body.type) ? <TextBody body={body} /> : <MediaBody body={body} family={family ?? ''} />}
    </div>
  )
}

const isText = (type: string) =>
  type === '' || type.startsWith('text/') || /[/+](json|xml|javascript|yaml)$/.test(type) || type.endsWith('ndjson')

function TextBody({ body }: { readonly body: Blob }) {
  const [text, setText] = useState<string>()
  useEffect(() => {
    let wanted = true
    void body.text().then((read) => wanted && setText(read))
    return () => {
      wanted = false
    }
  }, [body])
  if (text === undefined) return null
  const value = /[/+]json$/.test(body.type) ? parsed(text) : undefined
  return value === undefined ? <RawOutput text={text} label="Body" /> : <OutputView value={value.value} label="Body" />
}

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: parseExact(text) }
  } catch {
    return undefined // it is no JSON, whatever its type says, and is shown as what it is
  }
}

function MediaBody({ body, family }: { readonly body: Blob; readonly family: string }) {
  const shown = useAddress(body, body.type)
  // What is saved has no type: opened in a window of its own it would be a page of our origin.
  const saved = useAddress(body, 'application/octet-stream')
  if (shown === undefined) return null
  return (
    <div className="flex min-w-0 flex-col items-start gap-2">
      {family === 'image' && (
        <img src={shown} alt="Body" className="max-h-96 max-w-full rounded-control border border-line" />
      )}
      {/* biome-ignore lint/a11y/useMediaCaption: nobody has written captions for what a worker has just made */}
      {family === 'audio' && <audio controls src={shown} />}
      {/* biome-ignore lint/a11y/useMediaCaption: as above */}
      {family === 'video' && <video controls src={shown} className="max-h-96 max-w-full" />}
      <a href={saved} download="body" className="text-accent hover:underline">
        Save {bytes(body.size)} of {body.type || 'an unknown type'}
      </a>
    </div>
  )
}

/** An address of the bytes within this window. */
function useAddress(body: Blob, type: string): string | undefined {
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    const made = URL.createObjectURL(body.slice(0, body.size, type))
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [body, type])
  return address
}

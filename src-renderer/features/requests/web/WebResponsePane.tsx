import { useEffect, useState } from 'react'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import { parseExact } from '../../../../src-main/lib/json/plain.ts'
import { counted } from '../../../../src-main/lib/text.ts'
import { bytes, duration } from '../../../ui/format.ts'
import { OutputView, RawOutput } from '../../../ui/output/OutputView.tsx'
import { ErrorNotice, Said } from '../../../ui/PageStates.tsx'
import { StateDot } from '../../../ui/StateDot.tsx'
import { Elapsed } from '../../../ui/Values.tsx'
import type { WebResponse } from './send-web.ts'

export type WebResponsePaneProps = { readonly response: WebResponse; readonly endpoint: LiveEndpoint }

export function WebResponsePane({ response, endpoint }: WebResponsePaneProps) {
  const { method, path, status, statusText, headers, events, body, error, cut } = response
  return (
    <section aria-label="Response" className="flex min-w-0 flex-col rounded-control border border-line bg-surface-1">
      <header className="flex min-h-9 shrink-0 flex-wrap items-center gap-x-3 border-b border-line px-3 py-1">
        <Status response={response} />
        <h3 className="min-w-0 truncate font-mono text-small">
          {method} {path}
        </h3>
        <span className="ml-auto">
          <Times response={response} />
        </span>
      </header>
      <div className="flex min-w-0 flex-col gap-3 p-3" aria-live="polite">
        {status === undefined && error === undefined && (
          <p className="text-ink-2">
            <Said
              text={
                endpoint.waitingReason === undefined
                  ? 'Waiting for the response.'
                  : `Waiting: ${endpoint.waitingReason}`
              }
            />
          </p>
        )}
        {error !== undefined && <ErrorNotice error={error} />}
        {status !== undefined && status >= 300 && status < 400 && <Redirect headers={headers} />}
        {status !== undefined && status >= 400 && <p className="text-ink-2">{nextStep(status, statusText)}</p>}
        {events.length > 0 && <Events events={events} />}
        {body !== undefined && <WebBody body={body} cut={cut} />}
        {headers.length > 0 && (
          <details>
            <summary className="cursor-pointer text-ink-2">{counted(headers.length, 'header')}</summary>
            <dl className="mt-1 font-mono text-small">
              {headers.map(([name, value]) => (
                <div key={`${name} ${value}`} className="flex gap-2">
                  <dt className="shrink-0 text-ink-2">{name}</dt>
                  <dd className="min-w-0 break-all">{value}</dd>
                </div>
              ))}
            </dl>
          </details>
        )}
      </div>
    </section>
  )
}

function Status({ response: { status, statusText, error, endedAt } }: { readonly response: WebResponse }) {
  if (status === undefined) {
    if (error !== undefined) return <StateDot tone="failed" text="No response" />
    return <StateDot tone="running" text="Sent" pulses />
  }
  const tone = status >= 500 ? 'failed' : status >= 400 ? 'timed-out' : 'completed'
  return <StateDot tone={tone} text={`${status} ${statusText ?? ''}`.trim()} pulses={endedAt === undefined} />
}

function Times({ response }: { readonly response: WebResponse }) {
  const { sentAt, headAt, endedAt } = response
  return (
    <span className="text-small whitespace-nowrap text-ink-2">
      {headAt !== undefined && `first byte ${duration(headAt - sentAt)} · `}
      {endedAt === undefined ? <Elapsed since={sentAt} /> : duration(endedAt - sentAt)} · {bytes(response.bytes)}
    </span>
  )
}

function Events({ events }: Pick<WebResponse, 'events'>) {
  return (
    <section aria-label="Events">
      <p className="text-small text-ink-2">{counted(events.length, 'event')}</p>
      <ol className="flex max-h-96 flex-col gap-1 overflow-auto">
        {events.map(({ name, data }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: events come at the end and never move
          <li key={at} className="flex gap-2 border-b border-line font-mono text-small">
            <span className="shrink-0 text-ink-2">{name}</span>
            <span className="min-w-0 break-words whitespace-pre-wrap">{data}</span>
          </li>
        ))}
      </ol>
    </section>
  )
}

function Redirect({ headers }: Pick<WebResponse, 'headers'>) {
  const location = headers.find(([name]) => name.toLowerCase() === 'x-drydock-location')?.[1]
  if (location === undefined) return null
  return (
    <p className="break-words text-ink-2">
      It redirects to <code>{location}</code>, which is not followed here, because it would get your session.
    </p>
  )
}

function nextStep(status: number, text: string | undefined): string {
  if (status >= 500) return 'See the body or the log of the endpoint for the reason.'
  if (status === 404 || status === 405) return 'The worker has no such route. See its code for the routes it has.'
  return `${text || 'The worker refused it'}: see the body for details.`
}

function WebBody({ body, cut }: { readonly body: Blob; readonly cut: boolean }) {
  const [family] = body.type.split('/', 1)
  if (body.size === 0) return <p className="text-ink-2">The response has no body.</p>
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
    return undefined // it is not JSON, despite its type, and is shown as it is
  }
}

function MediaBody({ body, family }: { readonly body: Blob; readonly family: string }) {
  const shown = useAddress(body, body.type)
  // Without a type, because it could otherwise open as a page of our origin.
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

function useAddress(body: Blob, type: string): string | undefined {
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    const made = URL.createObjectURL(body.slice(0, body.size, type))
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [body, type])
  return address
}

import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import { ErrorNotice } from '../../../ui/ErrorNotice.tsx'
import { bytes, counted, duration } from '../../../ui/format.ts'
import { StateDot } from '../../../ui/StateDot.tsx'
import { useNow } from '../../../ui/use-now.ts'
import type { WebAnswer } from './send-web.ts'
import { WebBody } from './WebBody.tsx'

/** What a worker has answered. */
export type WebAnswerPaneProps = { readonly answer: WebAnswer; readonly endpoint: LiveEndpoint }

/** The answer to a request: status, times, body or events, headers. */
export function WebAnswerPane({ answer, endpoint }: WebAnswerPaneProps) {
  const { method, path, status, statusText, headers, events, body, error, cut } = answer
  return (
    <section aria-label="Answer" className="flex min-w-0 flex-col rounded-control border border-line bg-surface-1">
      <header className="flex min-h-9 flex-wrap items-center gap-x-3 border-b border-line px-3 py-1">
        <Status answer={answer} />
        <h3 className="min-w-0 truncate font-mono text-small">
          {method} {path}
        </h3>
        <span className="ml-auto">
          <Times answer={answer} />
        </span>
      </header>
      <div className="flex min-w-0 flex-col gap-3 p-3" aria-live="polite">
        {status === undefined && error === undefined && (
          <p className="text-ink-2">
            {endpoint.waitingReason === undefined ? 'Waiting for the answer.' : `Waiting: ${endpoint.waitingReason}`}
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

function Status({ answer: { status, statusText, error, endedAt } }: { readonly answer: WebAnswer }) {
  if (status === undefined) {
    if (error !== undefined) return <StateDot tone="failed" word="No answer" />
    return <StateDot tone="running" word="Sent" pulses />
  }
  const tone = status >= 500 ? 'failed' : status >= 400 ? 'timed-out' : 'completed'
  return <StateDot tone={tone} word={`${status} ${statusText ?? ''}`.trim()} pulses={endedAt === undefined} />
}

const TICK_MS = 100

function Times({ answer }: { readonly answer: WebAnswer }) {
  const { sentAt, headAt, endedAt } = answer
  return (
    <span className="text-small whitespace-nowrap text-ink-2">
      {headAt !== undefined && `first byte ${duration(headAt - sentAt)} · `}
      {endedAt === undefined ? <Elapsed since={sentAt} /> : duration(endedAt - sentAt)} · {bytes(answer.bytes)}
    </span>
  )
}

function Elapsed({ since }: { readonly since: number }) {
  const now = useNow(TICK_MS)
  return <>{duration(Math.max(0, now - since))}</>
}

function Events({ events }: Pick<WebAnswer, 'events'>) {
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

function Redirect({ headers }: Pick<WebAnswer, 'headers'>) {
  const location = headers.find(([name]) => name.toLowerCase() === 'x-drydock-location')?.[1]
  if (location === undefined) return null
  return (
    <p className="break-words text-ink-2">
      It leads to <code>{location}</code>, which is not followed here, as your session would go along.
    </p>
  )
}

function nextStep(status: number, text: string | undefined): string {
  if (status >= 500) return 'The body says why, or the log of the endpoint does.'
  if (status === 404 || status === 405) return 'The worker knows no such route. See its code for those that it has.'
  return `${text || 'The worker refused it'}: the body says what it wants.`
}

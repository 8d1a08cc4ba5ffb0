import clsx from 'clsx'
import { type ReactNode, useCallback, useMemo } from 'react'
import { useSearchParams } from 'wouter'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import type { SavedRequest } from '../../../../src-main/contract/saved-requests.ts'
import type { SampleCall } from '../../../../src-main/domain/samples/call.ts'
import type { Command } from '../../../store/commands-slice.ts'
import { Button } from '../../../ui/Button.tsx'
import { CommandsHere } from '../../../ui/CommandsHere.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { ErrorNotice } from '../../../ui/ErrorNotice.tsx'
import { CodeSamples } from '../../../ui/samples/CodeSamples.tsx'
import { SavedRequests } from '../saved/SavedRequests.tsx'
import { useSendKey } from '../use-send-key.ts'
import { AnswerPane } from './AnswerPane.tsx'
import { JOB_OPERATIONS, type JobOperation } from './answer.ts'
import { BodyEditor } from './BodyEditor.tsx'
import { readBody } from './body-text.ts'
import { JobHistory } from './JobHistory.tsx'
import { SendStrip } from './SendStrip.tsx'
import { useAnswers } from './use-answers.ts'
import { useJobDraft } from './use-job-draft.ts'

/** Jobs sent by hand to a queue-based endpoint. `choice` stands first in the strip. */
export type JobRequestsProps = { readonly endpoint: LiveEndpoint; readonly choice: ReactNode }

/** The editor, the answers beside it, samples and history below. */
export function JobRequests({ endpoint, choice }: JobRequestsProps) {
  const { operation, text, hints, fault, change, beginFrom } = useJobDraft(endpoint.id)
  const { answers, send, close } = useAnswers(endpoint.id)
  const [search, setSearch] = useSearchParams()
  const read = useMemo(() => (text === undefined ? undefined : readBody(text)), [text])
  const body = read?.ok ? text : undefined
  const sendOne = useCallback(() => body !== undefined && send([operation], body), [send, operation, body])
  const sendAll = useCallback(() => body !== undefined && send(JOB_OPERATIONS, body), [send, body])
  const showSaved = useCallback(() => setSearch({ panel: 'saved' }), [setSearch])
  const commands = useMemo<readonly Command[]>(() => {
    const group = `Endpoint ${endpoint.name}`
    return [
      { id: 'send', group, label: 'Send this request', run: sendOne },
      { id: 'send-all', group, label: 'Send it as run, runsync and stream', run: sendAll },
      { id: 'saved', group, label: 'Saved requests', also: 'new saved request', keys: 's', run: showSaved },
    ]
  }, [endpoint.name, sendOne, sendAll, showSaved])
  const load = ({ request }: SavedRequest) => {
    if (request.operation !== 'request') change({ operation: request.operation, body: request.body })
  }
  const shown = JOB_OPERATIONS.flatMap((one) => answers.find((answer) => answer.operation === one) ?? [])
  useSendKey(sendOne)
  return (
    <>
      <CommandsHere commands={commands} />
      <SendStrip
        choice={choice}
        operation={operation}
        onOperation={(wanted: JobOperation) => change({ operation: wanted })}
        onSend={sendOne}
        onSendAll={sendAll}
        onSaved={showSaved}
        disabled={body === undefined}
      />
      {fault !== null && (
        <ErrorNotice error={fault} action={<Button onClick={() => beginFrom(undefined)}>Go on without it</Button>} />
      )}
      <div
        className={clsx(
          'grid items-start gap-4',
          shown.length > 1 ? 'xl:grid-cols-[minmax(320px,1fr)_3fr]' : 'lg:grid-cols-2',
        )}
      >
        <BodyEditor
          text={text}
          fault={read?.ok === false ? read.fault : undefined}
          hints={hints}
          isLow={shown.length > 1}
          onChange={(changed) => change({ body: changed })}
        />
        {shown.length === 0 ? (
          <NoAnswers paused={endpoint.paused} />
        ) : (
          <div
            className={clsx('grid min-w-0 items-start gap-4', shown.length > 1 && 'md:auto-cols-fr md:grid-flow-col')}
          >
            {shown.map((answer) => (
              <AnswerPane
                key={answer.operation}
                endpoint={endpoint}
                answer={answer}
                onClose={() => close(answer.operation)}
              />
            ))}
          </div>
        )}
      </div>
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <JobHistory endpointId={endpoint.id} onLoad={beginFrom} />
        <CodeSamples call={body === undefined ? undefined : sampleCall(endpoint, operation, body)} />
      </div>
      {search.get('panel') === 'saved' && (
        <SavedRequests
          endpointId={endpoint.id}
          current={text === undefined ? undefined : { operation, body: text }}
          onLoad={load}
          onClose={() => setSearch({})}
        />
      )}
    </>
  )
}

function NoAnswers({ paused }: { readonly paused: boolean }) {
  return (
    <div className="rounded-control border border-line border-dashed">
      <EmptyState>
        {paused
          ? 'The endpoint is paused: what you send is accepted and waits until it is resumed.'
          : 'The answer appears here. Ctrl Enter sends the request.'}
      </EmptyState>
    </div>
  )
}

const sampleCall = ({ id, url }: LiveEndpoint, operation: JobOperation, body: string): SampleCall => ({
  endpointId: id,
  url,
  operation,
  body,
})

import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { LiveEndpoint } from '../../../src-main/contract/live.ts'
import type { EndpointServer } from '../../../src-main/contract/workflows.ts'
import { type ServerChange, serverText } from '../../../src-main/features/workflows/rules/server-address.ts'
import { lacksText, SERVER_STATES } from '../../../src-main/features/workflows/rules/server-status.ts'
import { capitalized } from '../../../src-main/lib/text.ts'
import { read } from '../../browser/read.ts'
import { type AppServices, useApp } from '../../store/app-context.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import type { Tone } from '../../ui/colours.ts'
import { Confirm } from '../../ui/Dialog.tsx'
import { CONTROL } from '../../ui/form/Field.tsx'
import { Form } from '../../ui/form/Form.tsx'
import { asSentence } from '../../ui/format.ts'
import { JobLink } from '../../ui/jobs/JobCells.tsx'
import { QueryState } from '../../ui/PageStates.tsx'
import { StateDot } from '../../ui/StateDot.tsx'
import { useWhyNot } from '../../ui/use-role.ts'
import { useTell } from '../../ui/use-tell.ts'
import { RelativeTime } from '../../ui/Values.tsx'

const TONES: Readonly<Record<EndpointServer['state'], Tone>> = {
  ready: 'completed',
  unread: 'queued',
  lost: 'failed',
  draining: 'running',
  drained: 'queued',
  only: 'queued',
}

// The service asks servers as often; a server whose classes become known causes no event.
const UNREAD_EVERY_MS = 2000
// A busy endpoint has hundreds of events a second.
const READ_WITHIN_MS = 500

const endpointServersQuery = (client: AppServices['client'], endpointId: string) =>
  queryOptions({
    ...read(client, ['endpoint-servers', endpointId], 'endpointServers', { path: { endpointId } }),
    refetchInterval: ({ state: { data } }) =>
      data?.servers.some(({ state }) => state === 'unread') ? UNREAD_EVERY_MS : false,
  })

type Change = (kind: ServerChange['kind'], address: string) => Promise<boolean>

export function ServersCard({ endpoint: { id, app } }: { readonly endpoint: LiveEndpoint }) {
  const { client, store } = useApp()
  const { attempt, failed } = useTell()
  const queries = useQueryClient()
  const whyNot = useWhyNot('deploy', 'Changing the servers of an endpoint')
  const query = endpointServersQuery(client, id)
  const { data, error, refetch } = useQuery(query)
  useEffect(() => {
    let timer: number | undefined
    const readAgain = () => {
      timer = undefined
      void queries.invalidateQueries({ queryKey: ['endpoint-servers', id] })
    }
    const unsubscribe = store.subscribe(({ live }, { live: before }) => {
      if (live.endpoints[id] === before.endpoints[id] && live.workers === before.workers) return
      timer ??= window.setTimeout(readAgain, READ_WITHIN_MS)
    })
    return () => {
      unsubscribe()
      window.clearTimeout(timer)
    }
  }, [store, queries, id])
  const change: Change = (kind, address) =>
    attempt(async () => {
      const changed = await client.call('endpointServerChange', {
        path: { endpointId: id },
        body: { kind, address },
      })
      queries.setQueryData(query.queryKey, changed)
      if (changed.warning !== undefined) failed(new Error(changed.warning))
    })
  const servers = data?.servers ?? []
  const isChangeable = app === undefined && whyNot === undefined
  return (
    <Card title="ComfyUI servers">
      <QueryState data={data} error={error} rows={1} onRetry={refetch} />
      <ul aria-label="ComfyUI servers" className="divide-y divide-line">
        {servers.map((server) => (
          <Server
            key={server.address}
            server={server}
            change={isChangeable && servers.length > 1 ? change : undefined}
          />
        ))}
      </ul>
      {isChangeable && <AddServer change={change} />}
    </Card>
  )
}

function Server({ server, change }: { readonly server: EndpointServer; readonly change: Change | undefined }) {
  const { number, address, state, lostBecause, lostSince, lacks, jobs, loaded } = server
  const [asks, setAsks] = useState(false)
  const name = serverText(address)
  const isDrained = state === 'drained' || state === 'draining'
  const lacking = lacksText(lacks)
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
      <span>
        {number}. <span className="font-mono text-small">{name}</span>
      </span>
      <StateDot tone={TONES[state]} text={capitalized(SERVER_STATES[state])} pulses={state === 'draining'} />
      {change !== undefined && (
        <span className="ml-auto flex gap-1">
          <Button
            kind="quiet"
            aria-label={`${isDrained ? 'Resume' : 'Drain'} ${name}`}
            onClick={() => void change(isDrained ? 'resume' : 'drain', address)}
          >
            {isDrained ? 'Resume' : 'Drain'}
          </Button>
          <Button kind="quiet" aria-label={`Remove ${name}`} onClick={() => setAsks(true)}>
            Remove
          </Button>
          <Confirm
            open={asks}
            onOpenChange={setAsks}
            action={`Remove ${name}`}
            onConfirm={() => void change('remove', address)}
          >
            A graph that it runs ends first. The others run its next ones.
          </Confirm>
        </span>
      )}
      <ul className="flex basis-full flex-wrap gap-x-3 text-small text-ink-2">
        {lostBecause !== undefined && lostSince !== undefined && (
          <li>
            {asSentence(lostBecause)} Lost <RelativeTime at={lostSince} />.
          </li>
        )}
        {lacking !== undefined && <li>Lacks {lacking}.</li>}
        {jobs.length > 0 && (
          <li className="flex flex-wrap items-center gap-x-1">
            Runs
            {jobs.map((id) => (
              <JobLink key={id} id={id} />
            ))}
          </li>
        )}
        {loaded.length > 0 && <li className="break-all">Has loaded {loaded.join(', ')}.</li>}
      </ul>
    </li>
  )
}

function AddServer({ change }: { readonly change: Change }) {
  const [address, setAddress] = useState('')
  const add = async () => {
    if (await change('add', address.trim())) setAddress('')
  }
  return (
    <Form onSubmit={add} className="flex gap-2 border-t border-line px-3 py-2">
      <input
        aria-label="Address of another ComfyUI server"
        value={address}
        onChange={({ target }) => setAddress(target.value)}
        placeholder="http://192.168.1.20:8188"
        required
        autoComplete="off"
        spellCheck={false}
        className={`${CONTROL} h-7 min-w-0 flex-1 font-mono text-small`}
      />
      <Button type="submit">Add server</Button>
    </Form>
  )
}

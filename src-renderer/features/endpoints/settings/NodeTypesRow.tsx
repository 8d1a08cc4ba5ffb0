import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import type { NodeTypesAnswer } from '../../../../src-main/contract/workflows.ts'
import { isSameServer, serverInWords } from '../../../../src-main/domain/workflow/server/server-address.ts'
import { type AppServices, useApp } from '../../../store/app-context.ts'
import type { Command } from '../../../store/commands-slice.ts'
import { Button } from '../../../ui/Button.tsx'
import { CommandsHere } from '../../../ui/CommandsHere.tsx'
import { ErrorNotice } from '../../../ui/ErrorNotice.tsx'
import { FormRow } from '../../../ui/form/FormRow.tsx'
import { ago, exactTime } from '../../../ui/format.ts'
import { readNodeTypes } from '../../../ui/servers/read-node-types.ts'
import { useNow } from '../../../ui/use-now.ts'
import { PackageList } from './PackageList.tsx'

/** An endpoint whose classes of nodes may come from a server. */
export type NodeTypesRowProps = { readonly endpoint: LiveEndpoint }

type Origin = Omit<NodeTypesAnswer, 'text'>

const SECOND_MS = 1000

// The text is megabytes, of which nothing is shown here.
const originOf = ({ text: _text, ...origin }: NodeTypesAnswer): Origin => origin

const originQuery = (client: AppServices['client'], endpoint: string) =>
  queryOptions({
    queryKey: ['node-types-origin', endpoint],
    queryFn: async ({ signal }) => originOf(await client.call('nodeTypes', { query: { endpoint }, signal })),
  })

/** Where the classes of nodes of the endpoint come from, and reads them from its server; nothing where it has none. */
export function NodeTypesRow({ endpoint }: NodeTypesRowProps) {
  const server = endpoint.workflows?.server
  return server === undefined ? null : <OfServer endpointId={endpoint.id} server={server} />
}

function OfServer({ endpointId, server }: { readonly endpointId: string; readonly server: string }) {
  const app = useApp()
  const queries = useQueryClient()
  const query = originQuery(app.client, endpointId)
  const { data, error } = useQuery(query)
  const read = useMutation({
    mutationFn: () => readNodeTypes(app, endpointId),
    onSuccess: (answer) => queries.setQueryData(query.queryKey, originOf(answer)),
  })
  const fault = read.error ?? error
  const { mutate } = read
  const commands = useMemo<readonly Command[]>(
    () => [{ id: 'read-node-types', group: 'Settings here', label: 'Read the classes of nodes', run: () => mutate() }],
    [mutate],
  )
  return (
    <FormRow
      label="Classes of nodes"
      help="What the editor offers and checks with. Read them again when the server got other nodes or models."
    >
      {({ id }) => (
        <div id={id} className="flex flex-col gap-1.5">
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <Button aria-disabled={read.isPending} onClick={() => !read.isPending && read.mutate()}>
              {read.isPending ? 'Reading its classes' : 'Read its classes'}
            </Button>
            {data !== undefined && <OriginText origin={data} server={server} />}
          </div>
          {data !== undefined && <PackageList endpointId={endpointId} readAt={data.readAt} />}
          {fault !== null && <ErrorNotice error={fault} />}
          <CommandsHere commands={commands} />
        </div>
      )}
    </FormRow>
  )
}

function OriginText({ origin, server }: { readonly origin: Origin; readonly server: string }) {
  const now = useNow(SECOND_MS)
  const { source, readAt, version } = origin
  const those = version === undefined ? '' : `, those of ${version}`
  if (readAt === undefined)
    return <span className="text-ink-2">None were read yet; those that come with Drydock are used{those}.</span>
  const when = <time title={exactTime(readAt)}>{ago(readAt, now)}</time>
  if (source === 'file')
    return (
      <span className="text-ink-2">
        Taken from a file {when}
        {those}.
      </span>
    )
  const from = origin.server ?? server
  if (isSameServer(from, server))
    return (
      <span className="text-ink-2">
        Read {when}
        {those}.
      </span>
    )
  return (
    <span className="text-warn-ink">
      Read {when} from {serverInWords(from)}, which is another server.
    </span>
  )
}

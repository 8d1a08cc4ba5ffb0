import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import type { NodeTypesResponse } from '../../../../src-main/contract/workflows.ts'
import { typesIn } from '../../../../src-main/features/workflows/rules/classes-file.ts'
import { type ClassPackage, classPackages } from '../../../../src-main/features/workflows/rules/node-packages.ts'
import { isStandIn, takesWorkflows } from '../../../../src-main/features/workflows/rules/runs/takes-workflows.ts'
import { isSameServer, serverText } from '../../../../src-main/features/workflows/rules/server-address.ts'
import { ago } from '../../../../src-main/lib/text.ts'
import { type AppServices, useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { FormRow } from '../../../ui/form/FormRow.tsx'
import { exactTime } from '../../../ui/format.ts'
import { CommandsHere } from '../../../ui/Page.tsx'
import { ErrorNotice } from '../../../ui/PageStates.tsx'
import { useNow } from '../../../ui/Values.tsx'
import { readNodeTypes } from '../../../ui/workflow-servers.ts'

type Origin = Omit<NodeTypesResponse, 'text'>

const originOf = ({ text: _text, ...origin }: NodeTypesResponse): Origin => origin

const originQuery = (client: AppServices['client'], endpoint: string) =>
  queryOptions({
    queryKey: ['node-types-origin', endpoint],
    queryFn: async ({ signal }) => originOf(await client.call('nodeTypes', { query: { endpoint }, signal })),
  })

export function NodeTypesRow({ endpoint }: { readonly endpoint: LiveEndpoint }) {
  const { client } = useApp()
  const isShown = takesWorkflows(endpoint)
  const { data, error } = useQuery({ ...originQuery(client, endpoint.id), enabled: isShown })
  if (!isShown) return null
  const server = endpoint.workflows?.server
  const help =
    server === undefined
      ? 'The nodes that the editor offers and checks. Set a ComfyUI server to read its node classes.'
      : 'The nodes that the editor offers and checks. Read them again after the nodes or models of the server change.'
  return (
    <FormRow label="Node classes" help={help}>
      {({ id }) => (
        <div id={id} className="flex flex-col gap-1.5">
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            {server !== undefined && <ReadFromServer endpointId={endpoint.id} />}
            {data !== undefined && <OriginText origin={data} endpoint={endpoint} />}
          </div>
          {data?.fault !== undefined && <p className="text-warn-ink">The last read failed: {data.fault}.</p>}
          {data !== undefined && <PackageList endpointId={endpoint.id} readAt={data.readAt} />}
          {error !== null && <ErrorNotice error={error} />}
        </div>
      )}
    </FormRow>
  )
}

function ReadFromServer({ endpointId }: { readonly endpointId: string }) {
  const app = useApp()
  const queries = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => readNodeTypes(app, endpointId),
    onSuccess: (response) => queries.setQueryData(originQuery(app.client, endpointId).queryKey, originOf(response)),
  })
  const command = { id: 'read-node-types', group: 'Settings here', label: 'Read the node classes', run: () => mutate() }
  return (
    <>
      <Button aria-disabled={isPending} onClick={() => !isPending && mutate()}>
        {isPending ? 'Reading its classes' : 'Read its classes'}
      </Button>
      {error !== null && (
        <div className="order-last basis-full">
          <ErrorNotice error={error} />
        </div>
      )}
      <CommandsHere commands={[command]} />
    </>
  )
}

function OriginText({ origin, endpoint }: { readonly origin: Origin; readonly endpoint: LiveEndpoint }) {
  const now = useNow()
  const { source, readAt, version } = origin
  const server = endpoint.workflows?.server
  const those = version === undefined ? '' : `, those of ${version}`
  if (readAt === undefined && server === undefined)
    return (
      <span className="text-ink-2">
        {isStandIn(endpoint)
          ? 'From its worker.'
          : `Using those that come with Drydock${version === undefined ? '' : `, of ${version}`}.`}
      </span>
    )
  if (readAt === undefined)
    return <span className="text-ink-2">Not read yet; using those that come with Drydock{those}.</span>
  const when = <time title={exactTime(readAt)}>{ago(readAt, now)}</time>
  if (source === 'file')
    return (
      <span className="text-ink-2">
        Taken from a file {when}
        {those}.
      </span>
    )
  const from = origin.server ?? server
  if (from === undefined || server === undefined || isSameServer(from, server))
    return (
      <span className="text-ink-2">
        Read {when}
        {those}.
      </span>
    )
  return (
    <span className="text-warn-ink">
      Read {when} from {serverText(from)}, which is a different server.
    </span>
  )
}

function PackageList({ endpointId, readAt }: { readonly endpointId: string; readonly readAt: number | undefined }) {
  const { client } = useApp()
  const [isOpen, setOpen] = useState(false)
  const { data, error } = useQuery({
    queryKey: ['node-packages-of', endpointId, readAt],
    queryFn: async ({ signal }) => {
      const { text } = await client.call('nodeTypes', { query: { endpoint: endpointId }, signal })
      return classPackages(typesIn(text).values())
    },
    enabled: isOpen,
  })
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="w-fit cursor-pointer text-ink-2">Packages</summary>
      {error !== null && <ErrorNotice error={error} />}
      {isOpen && data === undefined && error === null && <p className="text-ink-2">Reading them …</p>}
      <ul className="mt-1 flex flex-col gap-1">
        {data?.map((one) => (
          <li key={`${one.kind} ${one.name}`}>
            <Package one={one} />
          </li>
        ))}
      </ul>
    </details>
  )
}

function Package({ one: { name, kind, classes } }: { readonly one: ClassPackage }) {
  const count = classes.length === 1 ? '1 class' : `${classes.length} classes`
  if (kind !== 'custom')
    return (
      <>
        {name}: {count}
      </>
    )
  return (
    <details>
      <summary className="w-fit cursor-pointer break-all">
        {name}: {count}
      </summary>
      <p className="ml-4 break-words text-small text-ink-2">{classes.join(', ')}</p>
    </details>
  )
}

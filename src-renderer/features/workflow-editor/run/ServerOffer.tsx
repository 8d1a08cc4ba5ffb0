import { useMutation } from '@tanstack/react-query'
import clsx from 'clsx'
import { Server, X } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import type { WorkflowServer } from '../../../../src-main/contract/workflows.ts'
import { isBridge } from '../../../../src-main/features/workflows/rules/runs/takes-workflows.ts'
import {
  isSameServer,
  serverOfEntry,
  serverText,
  USUAL_SERVERS,
  withServer,
} from '../../../../src-main/features/workflows/rules/server-address.ts'
import { type AppServices, useApp, useAppState } from '../../../store/app-context.ts'
import type { Command } from '../../../store/app-slices.ts'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { freeName } from '../../../ui/form/CreatedEndpoint.tsx'
import { CommandsHere } from '../../../ui/Page.tsx'
import { readNodeTypes, useWorkflowServers } from '../../../ui/workflow-servers.ts'
import { CHOSEN_ENDPOINT } from '../store/run-store.ts'

export type ServerOfferProps = {
  /** Called once the endpoint exists and the pages know it. */
  readonly onMade?: (endpointId: string) => void
  readonly className?: string
}

const NOT_WANTED = 'workflow-servers-not-wanted'

/** Offers the first ComfyUI server on this machine that no endpoint uses. */
export function ServerOffer({ onMade, className }: ServerOfferProps) {
  const app = useApp()
  const { platform } = app
  const servers = useWorkflowServers()
  const endpoints = useAppState(({ live }) => live.endpoints)
  const loaded = useAppState(({ live }) => live.loaded)
  const [notWanted, setNotWanted] = useState(() => platform.readPreference(NOT_WANTED)?.split(' ') ?? [])
  const make = useMutation({
    mutationFn: async (server: WorkflowServer) => {
      const { id, isRead } = await makeServerEndpoint(app, server)
      // Tabs opened later start with it too; without its classes, no graph could be checked.
      if (isRead) platform.writePreference(CHOSEN_ENDPOINT, id)
      await endpointShown(app.store, id)
      if (isRead) onMade?.(id)
    },
  })
  const unused = loaded ? unusedServers(servers ?? [], endpoints) : []
  // The endpoint arrives before its classes: the offer stays until both are there.
  const offered = make.isPending ? make.variables : unused.find(({ address }) => !notWanted.includes(address))
  const { mutate, isPending } = make
  const commands = useMemo<readonly Command[]>(() => {
    if (offered === undefined || isPending) return []
    const label = `Make the ComfyUI at ${serverText(offered.address)} an endpoint`
    const shown = { id: 'make-server-endpoint', group: 'Workflows here', also: 'new endpoint', label }
    return [{ ...shown, run: () => mutate(offered) }]
  }, [offered, isPending, mutate])
  if (offered === undefined) return null
  const { address, version, devices } = offered
  const refuse = () => {
    const all = [...notWanted, address]
    platform.writePreference(NOT_WANTED, all.join(' '))
    setNotWanted(all)
  }
  const facts = [version, devices[0]?.name].filter((fact) => fact !== undefined && fact !== '').join(', ')
  return (
    <section
      aria-label="A ComfyUI on this machine"
      className={clsx('flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 bg-surface-2 py-1 pr-1 pl-3', className)}
    >
      <Server aria-hidden className="size-4 shrink-0 text-ink-2" />
      <p className="min-w-48 flex-1 text-left" title={facts}>
        A ComfyUI answers at {serverText(address)}.
        {make.error !== null && (
          <span role="alert" className="block text-failed-ink">
            It could not be made an endpoint: {make.error.message}
          </span>
        )}
      </p>
      <Button aria-disabled={isPending} onClick={() => !isPending && mutate(offered)}>
        {isPending ? 'Creating the endpoint' : 'Create an endpoint'}
      </Button>
      <IconButton label="Do not offer this again" icon={<X />} disabled={isPending} onClick={refuse} />
      <CommandsHere commands={commands} />
    </section>
  )
}

type Facts = Pick<LiveEndpoint, 'handler' | 'workflows'>

// Without an address, the bridge tries the usual ports.
function serversOf(endpoint: Facts): readonly string[] {
  const server = endpoint.workflows?.server
  if (server !== undefined) return [server]
  return isBridge(endpoint) ? USUAL_SERVERS : []
}

export function unusedServers(servers: readonly WorkflowServer[], endpoints: Readonly<Record<string, Facts>>) {
  const used = Object.values(endpoints).flatMap(serversOf)
  return servers.filter(({ address }) => !used.some((one) => isSameServer(one, address)))
}

/**
 * Creates an endpoint for a server from the catalog's bridge entry and loads its node classes.
 * @returns its id, and whether the classes were read
 * @throws ApiError if the service refuses
 */
async function makeServerEndpoint(
  { client, store }: Pick<AppServices, 'client' | 'store'>,
  { address }: Pick<WorkflowServer, 'address'>,
) {
  const { entries } = await client.call('catalogList')
  const bridge = entries.find(({ settings }) => serverOfEntry(settings) !== undefined)
  if (bridge === undefined) throw new Error('The catalog has no ComfyUI bridge. Reinstall Drydock.')
  const id = freeName('comfyui', Object.keys(store.getState().live.endpoints))
  const { notify } = store.getState()
  await client.call('endpointCreate', { body: { ...withServer(bridge.settings, address), id, name: id } })
  const where = `the ComfyUI at ${serverText(address)}`
  const problem = await readNodeTypes({ client, store }, id).then(
    () => undefined,
    ({ message }: Error) => message,
  )
  const done = `${id} is now an endpoint: it runs graphs on ${where}, with its node classes.`
  const failed = `${id} is now an endpoint and runs graphs on ${where}. ${problem} They are read when it answers, or in its settings, in Workflows.`
  notify(problem === undefined ? { kind: 'done', text: done } : { kind: 'error', text: failed })
  return { id, isRead: problem === undefined }
}

/** Resolves when the pages know an endpoint, a few ms after the service has created it. */
function endpointShown({ getState, subscribe }: AppServices['store'], id: string): Promise<void> {
  const isThere = () => getState().live.endpoints[id] !== undefined
  return new Promise((resolve) => {
    if (isThere()) return resolve()
    const end = subscribe(() => {
      if (!isThere()) return
      end()
      resolve()
    })
  })
}

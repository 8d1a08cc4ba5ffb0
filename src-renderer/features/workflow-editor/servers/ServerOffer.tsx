import { useMutation } from '@tanstack/react-query'
import clsx from 'clsx'
import { Server, X } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { WorkflowServer } from '../../../../src-main/contract/workflows.ts'
import { serverInWords } from '../../../../src-main/domain/workflow/server/server-address.ts'
import { useApp, useAppState } from '../../../store/app-context.ts'
import type { Command } from '../../../store/commands-slice.ts'
import { Button } from '../../../ui/Button.tsx'
import { CommandsHere } from '../../../ui/CommandsHere.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { useWorkflowServers } from '../../../ui/servers/use-workflow-servers.ts'
import { CHOSEN_ENDPOINT } from '../run/run-endpoints.ts'
import { endpointShown, makeServerEndpoint } from './make-server-endpoint.ts'
import { unusedServers } from './unused-servers.ts'

/** A ComfyUI that could be used. */
export type ServerOfferProps = {
  /** Called with the endpoint once it was made and the pages know of it. */
  readonly onMade?: (endpointId: string) => void
  readonly className?: string
}

const NOT_WANTED = 'workflow-servers-not-wanted'

/** Offers the first ComfyUI on this machine that no endpoint has yet; nothing where there is none. */
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
      // The tabs that are opened next begin with it too; without its classes nobody could check a graph for it.
      if (isRead) platform.writePreference(CHOSEN_ENDPOINT, id)
      await endpointShown(app.store, id)
      if (isRead) onMade?.(id)
    },
  })
  const unused = loaded ? unusedServers(servers ?? [], endpoints) : []
  // The endpoint comes before its classes: the offer stays until both are there.
  const offered = make.isPending ? make.variables : unused.find(({ address }) => !notWanted.includes(address))
  const { mutate, isPending } = make
  const commands = useMemo<readonly Command[]>(() => {
    if (offered === undefined || isPending) return []
    const label = `Make the ComfyUI at ${serverInWords(offered.address)} an endpoint`
    return [
      { id: 'make-server-endpoint', group: 'Workflows here', also: 'new endpoint', label, run: () => mutate(offered) },
    ]
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
        A ComfyUI answers at {serverInWords(address)}.
        {make.error !== null && (
          <span role="alert" className="block text-failed-ink">
            It could not be made an endpoint: {make.error.message}
          </span>
        )}
      </p>
      <Button aria-disabled={isPending} onClick={() => !isPending && mutate(offered)}>
        {isPending ? 'Making it an endpoint' : 'Make it an endpoint'}
      </Button>
      <IconButton label="Do not offer it again" disabled={isPending} onClick={refuse}>
        <X />
      </IconButton>
      <CommandsHere commands={commands} />
    </section>
  )
}

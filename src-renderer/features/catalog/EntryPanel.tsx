import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { useShallow } from 'zustand/react/shallow'
import type { CatalogEntry } from '../../../src-main/contract/catalog.ts'
import { serverOfEntry, withServer } from '../../../src-main/domain/workflow/server/entry-server.ts'
import { withHiddenPassword } from '../../../src-main/domain/workflow/server/server-address.ts'
import { useApp, useAppState } from '../../store/app-context.ts'
import { Button } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { ErrorNotice } from '../../ui/ErrorNotice.tsx'
import { Field } from '../../ui/Field.tsx'
import { CreatedEndpoint } from '../../ui/form/CreatedEndpoint.tsx'
import { freeName } from '../../ui/form/free-name.ts'
import { JsonTree } from '../../ui/JsonTree.tsx'
import { SidePanel } from '../../ui/SidePanel.tsx'
import { readNodeTypes } from '../../ui/servers/read-node-types.ts'
import { ServerField } from '../../ui/servers/ServerField.tsx'
import { useWorkflowServers } from '../../ui/servers/use-workflow-servers.ts'
import { MissingParts } from './MissingParts.tsx'

/** An entry with what it would make. */
export type EntryPanelProps = {
  readonly entry: CatalogEntry
  readonly onClose: () => void
  /** Looks whether what was missing is there now. */
  readonly onLookAgain: () => void
}

/** What is missing, the name, the settings, an example and the licence; one button makes the endpoint. */
export function EntryPanel({ entry, onClose, onLookAgain }: EntryPanelProps) {
  const app = useApp()
  const { client } = app
  const tell = (text: string) => void app.store.getState().tell({ kind: 'error', text })
  const taken = useAppState(useShallow((state) => Object.keys(state.live.endpoints)))
  const serverPlace = useId()
  const [typedName, setTypedName] = useState<string>()
  const id = typedName ?? freeName(entry.id, taken)
  const ofEntry = serverOfEntry(entry.settings)
  const answering = useWorkflowServers()?.[0]?.address
  const [typedServer, setTypedServer] = useState<string>()
  const server = typedServer ?? answering ?? ofEntry ?? ''
  const settings = ofEntry === undefined || server === '' ? entry.settings : withServer(entry.settings, server)
  const shown = settings === entry.settings ? settings : withServer(settings, withHiddenPassword(server))
  const create = useMutation({
    mutationFn: () => client.call('endpointCreate', { body: { ...settings, id, name: id } }),
    // What the editor offers on it. Where it cannot be had yet, the settings of the endpoint say so.
    onSuccess: (made) => {
      if (ofEntry !== undefined) readNodeTypes(app, made.id).catch(({ message }: Error) => tell(message))
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  if (create.data !== undefined)
    return (
      <SidePanel open onOpenChange={onClose} title={entry.name}>
        <CreatedEndpoint
          id={create.data.id}
          name={create.data.name}
          apiKey={create.data.key}
          starts={create.data.workersMin > 0}
          warning={create.data.warning}
        />
        <Example entry={entry} />
      </SidePanel>
    )
  const canRun = entry.missing.length === 0
  return (
    <SidePanel open onOpenChange={onClose} title={entry.name}>
      <div className="flex flex-col gap-4">
        <p>{entry.summary}</p>
        {!canRun && <MissingParts missing={entry.missing} onLookAgain={onLookAgain} />}
        <form onSubmit={submit} className="flex flex-col gap-3">
          <Field
            label="Name"
            value={id}
            onChange={(event) => setTypedName(event.target.value)}
            hint="Part of its address: a-z, 0-9 and hyphens."
            required
          />
          {ofEntry !== undefined && (
            <div className="flex flex-col gap-1">
              <label htmlFor={serverPlace} className="font-medium">
                ComfyUI server
              </label>
              <ServerField id={serverPlace} value={server} onChange={setTypedServer} />
            </div>
          )}
          {create.error !== null && <ErrorNotice error={create.error} />}
          <Button kind={canRun ? 'main' : 'plain'} type="submit" disabled={create.isPending} className="self-end">
            {canRun ? 'Create endpoint' : 'Create it all the same'}
          </Button>
        </form>
        <Part title="Its settings">
          <JsonTree value={shown} open={3} />
        </Part>
        <Example entry={entry} />
        {entry.env.length > 0 && (
          <Part title="Variables that it knows">
            <dl className="flex flex-col gap-1">
              {entry.env.map(({ name, about }) => (
                <div key={name}>
                  <dt className="font-mono text-small">{name}</dt>
                  <dd className="text-small text-ink-2">{about}</dd>
                </div>
              ))}
            </dl>
          </Part>
        )}
        <Part title="Licence">
          <p className="text-ink-2">{entry.licence}</p>
        </Part>
      </div>
    </SidePanel>
  )
}

function Example({ entry }: { readonly entry: CatalogEntry }) {
  return (
    <Part
      title="Example request"
      aside={<CopyButton text={JSON.stringify(entry.example, null, 2)} what="example request" />}
    >
      <JsonTree value={entry.example} open={3} />
    </Part>
  )
}

type PartProps = { readonly title: string; readonly aside?: React.ReactNode; readonly children: React.ReactNode }

function Part({ title, aside, children }: PartProps) {
  return (
    <section>
      <div className="mb-1 flex min-h-7 items-center justify-between">
        <h3 className="font-medium">{title}</h3>
        {aside}
      </div>
      {children}
    </section>
  )
}

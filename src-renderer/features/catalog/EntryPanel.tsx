import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useShallow } from 'zustand/react/shallow'
import type { CatalogEntry, MissingPart } from '../../../src-main/contract/catalog.ts'
import {
  serverOfEntry,
  withHiddenPassword,
  withServer,
} from '../../../src-main/features/workflows/rules/server-address.ts'
import { useApp, useAppState } from '../../store/app-context.ts'
import { Button, CopyButton } from '../../ui/Button.tsx'
import { SidePanel } from '../../ui/Dialog.tsx'
import { CreatedEndpoint, freeName } from '../../ui/form/CreatedEndpoint.tsx'
import { Field, Labelled } from '../../ui/form/Field.tsx'
import { Form } from '../../ui/form/Form.tsx'
import { ServerField } from '../../ui/form/ServerField.tsx'
import { JsonTree } from '../../ui/JsonTree.tsx'
import { ErrorNotice, Said } from '../../ui/PageStates.tsx'
import { readNodeTypes, useWorkflowServers } from '../../ui/workflow-servers.ts'

export type EntryPanelProps = {
  readonly entry: CatalogEntry
  readonly onClose: () => void
  readonly onCheckAgain: () => void
}

export function EntryPanel({ entry, onClose, onCheckAgain }: EntryPanelProps) {
  const app = useApp()
  const { client } = app
  const notify = (text: string) => void app.store.getState().notify({ kind: 'error', text })
  const taken = useAppState(useShallow((state) => Object.keys(state.live.endpoints)))
  const [typedName, setTypedName] = useState<string>()
  const id = typedName ?? freeName(entry.id, taken)
  const ofEntry = serverOfEntry(entry.settings)
  const runningServer = useWorkflowServers()?.[0]?.address
  const [typedServer, setTypedServer] = useState<string>()
  const server = typedServer ?? runningServer ?? ofEntry ?? ''
  const settings = ofEntry === undefined || server === '' ? entry.settings : withServer(entry.settings, server)
  const shown = settings === entry.settings ? settings : withServer(settings, withHiddenPassword(server))
  const create = useMutation({
    mutationFn: () => client.call('endpointCreate', { body: { ...settings, id, name: id } }),
    onSuccess: (made) => {
      if (ofEntry !== undefined) readNodeTypes(app, made.id).catch(({ message }: Error) => notify(message))
    },
  })
  if (create.data !== undefined)
    return (
      <SidePanel open onOpenChange={onClose} title={entry.name}>
        <CreatedEndpoint made={create.data} />
        <Example entry={entry} />
      </SidePanel>
    )
  const canRun = entry.missing.length === 0
  return (
    <SidePanel open onOpenChange={onClose} title={entry.name}>
      <div className="flex flex-col gap-4">
        <p>{entry.summary}</p>
        {!canRun && <MissingParts missing={entry.missing} onCheckAgain={onCheckAgain} />}
        <Form onSubmit={() => create.mutate()} className="flex flex-col gap-3">
          <Field
            label="Name"
            value={id}
            onChange={(event) => setTypedName(event.target.value)}
            hint="Part of its address: a-z, 0-9 and hyphens."
            required
          />
          {ofEntry !== undefined && (
            <Labelled label="ComfyUI server">
              {(ids) => <ServerField {...ids} value={server} onChange={setTypedServer} />}
            </Labelled>
          )}
          {create.error !== null && <ErrorNotice error={create.error} />}
          <Button kind={canRun ? 'main' : 'plain'} type="submit" disabled={create.isPending} className="self-end">
            {canRun ? 'Create endpoint' : 'Create anyway'}
          </Button>
        </Form>
        <Part title="Its settings">
          <JsonTree value={shown} open={3} />
        </Part>
        <Example entry={entry} />
        {entry.env.length > 0 && (
          <Part title="Variables it reads">
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

type MissingPartsProps = { readonly missing: readonly MissingPart[]; readonly onCheckAgain: () => void }

function MissingParts({ missing, onCheckAgain }: MissingPartsProps) {
  return (
    <section aria-label="Missing requirements" className="rounded-control bg-warn-soft px-3 py-2 text-warn-ink">
      <p className="font-medium">This machine cannot run it yet</p>
      <ul className="mt-1 flex flex-col gap-2">
        {missing.map(({ what, fix }) => (
          <li key={what} className="break-words">
            {what.charAt(0).toUpperCase()}
            {what.slice(1)}. <Said text={fix} />
          </li>
        ))}
      </ul>
      <Button className="mt-2" onClick={onCheckAgain}>
        Look again
      </Button>
    </section>
  )
}

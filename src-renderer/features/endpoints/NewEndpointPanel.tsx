import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useApp } from '../../store/app-context.ts'
import { Button } from '../../ui/Button.tsx'
import { ErrorNotice } from '../../ui/ErrorNotice.tsx'
import { Field } from '../../ui/Field.tsx'
import { CreatedEndpoint } from '../../ui/form/CreatedEndpoint.tsx'
import { ChoosePath } from '../../ui/path/ChoosePath.tsx'
import { PathField } from '../../ui/path/PathField.tsx'
import { SidePanel } from '../../ui/SidePanel.tsx'
import { CommandFields } from './CommandFields.tsx'
import { ImageFields } from './ImageFields.tsx'
import { createBody, EMPTY_FORM, type NewEndpoint, type NewEndpointForm, suggestedName } from './new-endpoint.ts'

/** Makes an endpoint from a file, a command or an image. */
export type NewEndpointPanelProps = { readonly kind: NewEndpoint; readonly onClose: () => void }

const TITLES = {
  handler: 'New endpoint from a handler file',
  command: 'New endpoint from a command',
  web: 'New endpoint from a web app',
  image: 'New endpoint from an image',
} as const satisfies Record<NewEndpoint, string>

/** A short form; all other settings have defaults and can be changed later. */
export function NewEndpointPanel({ kind, onClose }: NewEndpointPanelProps) {
  const { client } = useApp()
  const [fields, setForm] = useState<NewEndpointForm>(EMPTY_FORM)
  const [typedName, setTypedName] = useState<string>()
  // A name that nobody typed follows what the endpoint is made from.
  const id = typedName ?? suggestedName(kind, fields)
  const form = { ...fields, id }
  const create = useMutation({
    mutationFn: () => client.call('endpointCreate', { body: createBody(kind, form) }),
  })
  const change = (part: Partial<NewEndpointForm>) => {
    // What was refused is another thing now.
    if (create.isError) create.reset()
    setForm((before) => ({ ...before, ...part }))
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  const name = (
    <Field
      label="Name"
      value={id}
      onChange={(event) => setTypedName(event.target.value)}
      placeholder={kind === 'image' ? 'worker' : 'hello'}
      hint="Part of its address: a-z, 0-9 and hyphens."
      required
    />
  )
  return (
    <SidePanel open onOpenChange={onClose} title={TITLES[kind]}>
      {create.data === undefined ? (
        <form onSubmit={submit} className="flex flex-col gap-4">
          {kind === 'handler' && (
            <>
              <PathField
                label="Handler file"
                wants="handler"
                value={form.handler}
                onChange={(handler) => change({ handler })}
                placeholder="/home/ada/project/handler.py"
                hint="A file in Python or TypeScript on the machine of the service: type its path, or walk to it below."
                height="h-64"
              />
              <div className="flex justify-end empty:hidden">
                <ChoosePath
                  wants="handler"
                  title="Choose a handler file"
                  from={form.handler}
                  onPath={(handler) => change({ handler })}
                />
              </div>
              {name}
            </>
          )}
          {(kind === 'command' || kind === 'web') && (
            <>
              <CommandFields isWeb={kind === 'web'} form={form} onChange={change} />
              {name}
            </>
          )}
          {kind === 'image' && (
            <>
              <Field
                label="Image"
                value={form.image}
                onChange={(event) => change({ image: event.target.value })}
                placeholder="ghcr.io/ada/worker:1.2"
                hint="It is pulled when its first worker starts."
                required
              />
              {name}
              <ImageFields form={form} onChange={change} />
            </>
          )}
          {create.error !== null && <ErrorNotice error={create.error} />}
          <Button kind="main" type="submit" disabled={create.isPending} className="self-end">
            Create endpoint
          </Button>
        </form>
      ) : (
        <CreatedEndpoint
          id={create.data.id}
          name={create.data.name}
          apiKey={create.data.key}
          starts={create.data.workersMin > 0}
          warning={create.data.warning}
        />
      )}
    </SidePanel>
  )
}

import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useApp } from '../../store/app-context.ts'
import { Button } from '../../ui/Button.tsx'
import { SidePanel } from '../../ui/Dialog.tsx'
import { CreatedEndpoint } from '../../ui/form/CreatedEndpoint.tsx'
import { Field, Labelled, Toggle } from '../../ui/form/Field.tsx'
import { Form } from '../../ui/form/Form.tsx'
import { ChoosePath, PathField } from '../../ui/form/PathField.tsx'
import { VariablesField } from '../../ui/form/VariablesField.tsx'
import { ErrorNotice } from '../../ui/PageStates.tsx'
import { NEW_ENDPOINT_TITLES, type NewEndpoint } from './endpoint-state.ts'
import { ImageFields } from './ImageFields.tsx'
import { createBody, EMPTY_FORM, hubProblems, type NewEndpointForm, suggestedName, withLabel } from './new-endpoint.ts'

export function NewEndpointPanel({ kind, onClose }: { readonly kind: NewEndpoint; readonly onClose: () => void }) {
  const { client } = useApp()
  const [fields, setForm] = useState<NewEndpointForm>(EMPTY_FORM)
  const [typedName, setTypedName] = useState<string>()
  const id = typedName ?? suggestedName(kind, fields)
  const form = { ...fields, id }
  const create = useMutation({
    mutationFn: () => client.call('endpointCreate', { body: createBody(kind, form) }),
  })
  const change = (part: Partial<NewEndpointForm>) => {
    // Any change clears the refusal, which applied to the earlier input.
    if (create.isError) create.reset()
    setForm((before) => ({ ...before, ...part }))
  }
  const isAnswered = form.hub === undefined || Object.keys(hubProblems(form.hub)).length === 0
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
    <SidePanel open onOpenChange={onClose} title={NEW_ENDPOINT_TITLES[kind]}>
      {create.data === undefined ? (
        <Form onSubmit={() => isAnswered && create.mutate()} className="flex flex-col gap-4">
          {kind === 'handler' && (
            <>
              <PathField
                label="Handler file"
                wants="handler"
                value={form.handler}
                onChange={(handler) => change({ handler })}
                placeholder="/home/ada/project/handler.py"
                hint="A Python or TypeScript file on the machine of the service: type its path, or browse to it below."
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
                hint="Pulled when the first worker starts."
                required
              />
              {name}
              <ImageFields form={form} onChange={change} />
            </>
          )}
          {create.error !== null && <ErrorNotice error={withLabel(create.error.message)} />}
          <Button kind="main" type="submit" disabled={create.isPending || !isAnswered} className="self-end">
            Create endpoint
          </Button>
        </Form>
      ) : (
        <CreatedEndpoint made={create.data} />
      )}
    </SidePanel>
  )
}

type CommandFieldsProps = {
  readonly isWeb: boolean
  readonly form: NewEndpointForm
  readonly onChange: (change: Partial<NewEndpointForm>) => void
}

function CommandFields({ isWeb, form, onChange }: CommandFieldsProps) {
  return (
    <>
      <Field
        label="Command"
        value={form.command}
        onChange={(event) => onChange({ command: event.target.value })}
        placeholder={isWeb ? 'uvicorn app:app --port $PORT' : 'python3 worker.py'}
        hint={
          isWeb
            ? 'Starts a web server on 127.0.0.1 at $PORT that answers GET /ping with 200 when it is ready.'
            : 'Starts a worker that takes jobs, like a program that calls runpod.serverless.start.'
        }
        required
      />
      <PathField
        label="Working folder"
        wants="folder"
        value={form.cwd}
        onChange={(cwd) => onChange({ cwd })}
        placeholder="/home/ada/project"
        hint="The command starts in this folder on the machine of the service, with its PATH."
        height="h-48"
      />
      <Labelled
        label="Variables"
        hint="Environment variables of its processes. To add several, paste the contents of a .env file into a name field."
      >
        {(ids) => <VariablesField {...ids} value={form.variables} onChange={(variables) => onChange({ variables })} />}
      </Labelled>
      <Labelled
        label="Keep one worker ready"
        hint="It starts at once, so that you see whether the command runs. Otherwise the first request waits for that."
      >
        {(ids) => <Toggle {...ids} checked={form.ready} onChange={(ready) => onChange({ ready })} />}
      </Labelled>
    </>
  )
}

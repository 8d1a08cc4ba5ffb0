import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useLocation } from 'wouter'
import { ADDRESS } from '../../addresses.ts'
import { useApp } from '../../store/app-context.ts'
import { Button } from '../../ui/Button.tsx'
import { ErrorNotice } from '../../ui/ErrorNotice.tsx'
import { Field } from '../../ui/Field.tsx'
import { SidePanel } from '../../ui/SidePanel.tsx'
import { ShownKey } from './ShownKey.tsx'

/** What a new endpoint is made from. */
export type NewEndpoint = 'handler' | 'image'

/** Makes an endpoint from a handler file or an image. */
export type NewEndpointPanelProps = { readonly kind: NewEndpoint; readonly onClose: () => void }

const WORDS = {
  handler: {
    title: 'New endpoint from a handler file',
    label: 'Handler file',
    placeholder: '/home/ada/project/handler.py',
    hint: 'Absolute path of a Python file on the machine of the service.',
  },
  image: {
    title: 'New endpoint from an image',
    label: 'Image',
    placeholder: 'ghcr.io/ada/worker:1.2',
    hint: 'It is pulled when its first worker starts.',
  },
} as const

/** A form of two fields; all other settings have defaults and can be changed later. */
export function NewEndpointPanel({ kind, onClose }: NewEndpointPanelProps) {
  const { client } = useApp()
  const [, go] = useLocation()
  const [id, setId] = useState('')
  const [program, setProgram] = useState('')
  const { title, label, placeholder, hint } = WORDS[kind]
  const create = useMutation({
    mutationFn: () => {
      const what = kind === 'handler' ? { handler: program } : { container: { image: program } }
      return client.call('endpointCreate', { body: { id, name: id, ...what } })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  return (
    <SidePanel open onOpenChange={onClose} title={title}>
      {create.data === undefined ? (
        <form onSubmit={submit} className="flex flex-col gap-4">
          <Field
            label="Name"
            value={id}
            onChange={(event) => setId(event.target.value)}
            placeholder="hello"
            hint="Part of its address: a-z, 0-9 and hyphens."
            required
          />
          <Field
            label={label}
            value={program}
            onChange={(event) => setProgram(event.target.value)}
            placeholder={placeholder}
            hint={hint}
            required
          />
          {create.error !== null && <ErrorNotice error={create.error} />}
          <Button kind="main" type="submit" disabled={create.isPending} className="self-end">
            Create endpoint
          </Button>
        </form>
      ) : (
        <div className="flex flex-col gap-4">
          <ShownKey endpointId={create.data.id} apiKey={create.data.key} />
          <Button kind="main" className="self-end" onClick={() => go(ADDRESS.endpoint(create.data.id))}>
            Open {create.data.name}
          </Button>
        </div>
      )}
    </SidePanel>
  )
}

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { RegistryView } from '../../../src-main/contract/registry.ts'
import { useApp } from '../../store/app-context.ts'
import { Button } from '../../ui/Button.tsx'
import { ErrorNotice } from '../../ui/ErrorNotice.tsx'
import { Field } from '../../ui/Field.tsx'
import { SidePanel } from '../../ui/SidePanel.tsx'

/** Credentials to be stored; those of `registry` are replaced. */
export type RegistryPanelProps = { readonly registry: RegistryView | undefined; readonly onClose: () => void }

/** A form for credentials of a registry. What is typed as a password leaves the page only to the service. */
export function RegistryPanel({ registry, onClose }: RegistryPanelProps) {
  const { client, store } = useApp()
  const queries = useQueryClient()
  const [fields, setFields] = useState({
    name: registry?.name ?? '',
    server: registry?.server ?? '',
    username: registry?.username ?? '',
    password: '',
  })
  const save = useMutation({
    mutationFn: () => client.call('registryPut', { body: fields }),
    onSuccess: ({ name }) => {
      store.getState().tell({ kind: 'done', text: `Credentials ${name} are stored.` })
      void queries.invalidateQueries({ queryKey: ['registries'] })
      onClose()
    },
  })
  const field = (name: keyof typeof fields) => ({
    value: fields[name],
    onChange: (event: { readonly target: { readonly value: string } }) =>
      setFields((before) => ({ ...before, [name]: event.target.value })),
    required: true,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <SidePanel open onOpenChange={onClose} title={registry === undefined ? 'Add registry' : `Replace ${registry.name}`}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Field
          label="Name"
          placeholder="work"
          hint="Endpoints name the credentials by it."
          readOnly={registry !== undefined}
          {...field('name')}
        />
        <Field
          label="Server"
          placeholder="ghcr.io"
          hint="Host of the registry; docker.io for Docker Hub."
          {...field('server')}
        />
        <Field label="User name" {...field('username')} />
        <Field
          label="Password or token"
          type="password"
          hint="It is stored encrypted and never shown again."
          {...field('password')}
        />
        {save.error !== null && <ErrorNotice error={save.error} />}
        <Button kind="main" type="submit" disabled={save.isPending} className="self-end">
          Store credentials
        </Button>
      </form>
    </SidePanel>
  )
}

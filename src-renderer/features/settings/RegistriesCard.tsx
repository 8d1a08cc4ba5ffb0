import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useSearchParams } from 'wouter'
import type { RegistryView } from '../../../src-main/contract/container.ts'
import { NEW_REGISTRY } from '../../addresses.ts'
import { registriesQuery } from '../../api-client/system-queries.ts'
import { useApp } from '../../store/app-context.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { Confirm, SidePanel } from '../../ui/Dialog.tsx'
import { Field } from '../../ui/form/Field.tsx'
import { Form, Submit, useFields } from '../../ui/form/Form.tsx'
import { QueryState } from '../../ui/PageStates.tsx'
import { useTell } from '../../ui/use-tell.ts'
import { RelativeTime } from '../../ui/Values.tsx'

export function RegistriesCard() {
  const { client } = useApp()
  const { done, failed } = useTell()
  const queries = useQueryClient()
  const { data, error } = useQuery(registriesQuery(client))
  const [search, setSearch] = useSearchParams()
  const named = search.get('registry')
  const edited = data?.registries.find(({ name }) => name === named)
  const close = () => setSearch({}, { replace: true })
  const [removed, setRemoved] = useState<RegistryView>()
  const remove = useMutation({
    mutationFn: ({ name }: RegistryView) => client.call('registryRemove', { path: { name } }),
    onSuccess: (_done, { name }) => done(`${name} is removed.`),
    onError: failed,
    onSettled: () => queries.invalidateQueries({ queryKey: ['registries'] }),
  })
  const add = (
    <Button onClick={() => setSearch({ registry: NEW_REGISTRY })}>
      <Plus aria-hidden /> Add registry
    </Button>
  )
  return (
    <Card title="Image registries" aside={data !== undefined && data.registries.length > 0 && add}>
      <QueryState data={data} error={error} rows={2} action={add} className="m-3" />
      {data?.registries.length === 0 && (
        <div className="flex flex-wrap items-center justify-between gap-3 px-3 py-3">
          <p className="max-w-prose text-ink-2">
            No credentials are stored. Public images need none, and logins of the docker command are used too.
          </p>
          {add}
        </div>
      )}
      <ul className="divide-y divide-line">
        {data?.registries.map((registry) => (
          <li key={registry.name} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-3 py-1.5">
            <span className="min-w-32 flex-1 font-medium break-all">{registry.name}</span>
            <span className="min-w-40 flex-1 font-mono text-small break-all">{registry.server}</span>
            <span className="min-w-24 flex-1 break-all">{registry.username}</span>
            <span className="hidden w-32 text-small text-ink-2 lg:inline">
              stored <RelativeTime at={registry.updatedAt} />
            </span>
            <span className="ml-auto flex gap-1">
              <Button
                kind="quiet"
                aria-label={`Replace ${registry.name}`}
                onClick={() => setSearch({ registry: registry.name })}
              >
                Replace
              </Button>
              <Button kind="quiet" aria-label={`Remove ${registry.name}`} onClick={() => setRemoved(registry)}>
                Remove
              </Button>
            </span>
          </li>
        ))}
      </ul>
      {(edited !== undefined || named === NEW_REGISTRY) && <RegistryPanel registry={edited} onClose={close} />}
      {removed !== undefined && (
        <Confirm
          open
          onOpenChange={() => setRemoved(undefined)}
          action={`Remove ${removed.name}`}
          onConfirm={() => remove.mutate(removed)}
        >
          The password is deleted. Endpoints that name {removed.name} can no longer pull images until it is stored
          again.
        </Confirm>
      )}
    </Card>
  )
}

type RegistryPanelProps = { readonly registry: RegistryView | undefined; readonly onClose: () => void }

function RegistryPanel({ registry, onClose }: RegistryPanelProps) {
  const { client } = useApp()
  const { done } = useTell()
  const queries = useQueryClient()
  const { texts, field } = useFields({
    name: registry?.name ?? '',
    server: registry?.server ?? '',
    username: registry?.username ?? '',
    password: '',
  })
  const save = useMutation({
    mutationFn: () => client.call('registryPut', { body: texts }),
    onSuccess: ({ name }) => {
      done(`Credentials ${name} are stored.`)
      void queries.invalidateQueries({ queryKey: ['registries'] })
      onClose()
    },
  })
  return (
    <SidePanel open onOpenChange={onClose} title={registry === undefined ? 'Add registry' : `Replace ${registry.name}`}>
      <Form onSubmit={() => save.mutate()} className="flex flex-col gap-4">
        <Field
          label="Name"
          placeholder="work"
          hint="Endpoints refer to the credentials by this name."
          readOnly={registry !== undefined}
          {...field('name')}
          required
        />
        <Field
          label="Server"
          placeholder="ghcr.io"
          hint="Host of the registry; docker.io for Docker Hub."
          {...field('server')}
          required
        />
        <Field label="User name" {...field('username')} required />
        <Field
          label="Password or token"
          type="password"
          hint="It is stored encrypted and never shown again."
          {...field('password')}
          required
        />
        <Submit error={save.error} disabled={save.isPending}>
          Store credentials
        </Submit>
      </Form>
    </SidePanel>
  )
}

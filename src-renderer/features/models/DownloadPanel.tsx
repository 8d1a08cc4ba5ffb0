import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useId } from 'react'
import type { ModelDownloadCreate } from '../../../src-main/contract/models.ts'
import { MODEL_DIRECTORIES, modelAtAddress } from '../../../src-main/features/models/rules/layout.ts'
import { type AppServices, useApp } from '../../store/app-context.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { SidePanel } from '../../ui/Dialog.tsx'
import { Datalist, Field } from '../../ui/form/Field.tsx'
import { Form, Submit, useFields } from '../../ui/form/Form.tsx'
import { bytes } from '../../ui/format.ts'
import { ErrorNotice } from '../../ui/PageStates.tsx'
import { modelFoldersQuery, useDownloadActions } from '../../ui/use-models.ts'
import { useTell } from '../../ui/use-tell.ts'

export type DownloadPanelProps = { readonly name: string; readonly directory: string; readonly onClose: () => void }

export function DownloadPanel({ name, directory, onClose }: DownloadPanelProps) {
  const { client } = useApp()
  const { start } = useDownloadActions()
  const { data } = useQuery(modelFoldersQuery(client))
  const { texts: typed, field } = useFields({ url: '', name, directory, sha256: '' })
  const list = useId()
  const suggested = modelAtAddress(typed.url)
  const submit = () => {
    const given = Object.entries(typed).map(([key, value]) => [key, value.trim()] as const)
    const body = Object.fromEntries(given.filter(([, value]) => value !== '')) as ModelDownloadCreate
    start.mutate(body, { onSuccess: onClose })
  }
  const [first] = data?.folders ?? []
  return (
    <SidePanel open onOpenChange={onClose} title="Download a model">
      <Form onSubmit={submit} className="flex flex-col gap-4">
        <Field
          label="Address"
          type="url"
          placeholder="https://huggingface.co/OWNER/REPO/resolve/main/model.safetensors"
          hint="Of the file itself. If the host needs a token, the one stored for it is sent."
          required
          {...field('url')}
        />
        <Field
          label="Directory"
          list={list}
          placeholder={suggested.directory ?? 'checkpoints'}
          hint={
            suggested.directory === undefined
              ? 'Kind of model, as ComfyUI names its folder.'
              : `From the address: ${suggested.directory}.`
          }
          required={suggested.directory === undefined}
          {...field('directory')}
        />
        <Datalist id={list} values={MODEL_DIRECTORIES} />
        <Field
          label="Name"
          placeholder={suggested.name ?? 'model.safetensors'}
          hint="Of the file, with subfolders if needed."
          required={suggested.name === undefined && typed.url !== ''}
          {...field('name')}
        />
        <Field
          label="SHA-256"
          hint="Optional: any other file is refused. A checksum sent by the host is always checked."
          {...field('sha256')}
        />
        {first !== undefined && (
          <p className="text-small break-words text-ink-2">
            Saved to {first.path}
            {first.freeBytes !== undefined && `, whose disk has ${bytes(first.freeBytes)} free`}.
          </p>
        )}
        <Submit error={start.error} disabled={start.isPending}>
          Download
        </Submit>
      </Form>
    </SidePanel>
  )
}

const credentialsQuery = (client: AppServices['client']) =>
  queryOptions({
    queryKey: ['model-credentials'],
    queryFn: ({ signal }) => client.call('modelCredentialsList', { signal }),
  })

const NOTHING = { host: '', username: '', secret: '' }

/** Credentials of model hosts. Typed secrets are sent only to the service. */
export function HostsCard() {
  const { client } = useApp()
  const { done } = useTell()
  const queries = useQueryClient()
  const { data, error } = useQuery(credentialsQuery(client))
  const { texts: typed, setTexts: setTyped, field } = useFields(NOTHING)
  const onSuccess = () => queries.invalidateQueries({ queryKey: ['model-credentials'] })
  const put = useMutation({
    mutationFn: ({ host, username, secret }: typeof NOTHING) =>
      client.call('modelCredentialsPut', {
        body: username === '' ? { host, token: secret } : { host, username, password: secret },
      }),
    onSuccess({ host }) {
      setTyped(NOTHING)
      done(`Credentials for ${host} are stored.`)
      return onSuccess()
    },
  })
  const remove = useMutation({
    mutationFn: (host: string) => client.call('modelCredentialsRemove', { path: { host } }),
    onSuccess,
  })
  return (
    <Card title="Credentials for hosts">
      {error !== null && <ErrorNotice error={error} />}
      <ul className="divide-y divide-line">
        {data?.credentials.map(({ host, username }) => (
          <li key={host} className="flex items-center gap-4 px-3 py-1.5">
            <span className="min-w-0 flex-1 font-medium break-all">{host}</span>
            <span className="text-ink-2">{username ?? 'token'}</span>
            <Button kind="quiet" aria-label={`Remove the credentials for ${host}`} onClick={() => remove.mutate(host)}>
              Forget
            </Button>
          </li>
        ))}
      </ul>
      <Form
        onSubmit={() => put.mutate({ ...typed, host: typed.host.trim().toLowerCase() })}
        className="grid items-start gap-2 px-3 py-2 sm:grid-cols-3"
      >
        <Field
          label="Host"
          placeholder="huggingface.co"
          hint="Sent only to this host, even after a redirect."
          required
          {...field('host')}
        />
        <Field label="User name" hint="Leave empty for a token." {...field('username')} />
        <Field
          label="Token or password"
          type="password"
          hint="Stored encrypted, never shown again."
          required
          {...field('secret')}
        />
        {put.error !== null && <ErrorNotice error={put.error} />}
        <Button type="submit" disabled={put.isPending} className="justify-self-end sm:col-span-3">
          Store credentials
        </Button>
      </Form>
    </Card>
  )
}

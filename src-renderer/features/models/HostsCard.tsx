import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { type AppServices, useApp } from '../../store/app-context.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { ErrorNotice } from '../../ui/ErrorNotice.tsx'
import { Field } from '../../ui/Field.tsx'

const credentialsQuery = (client: AppServices['client']) =>
  queryOptions({
    queryKey: ['model-credentials'],
    queryFn: ({ signal }) => client.call('modelCredentialsList', { signal }),
  })

const NOTHING = { host: '', username: '', secret: '' }

/** Credentials of the hosts that models come from. What is typed as a secret leaves the page only to the service. */
export function HostsCard() {
  const { client, store } = useApp()
  const queries = useQueryClient()
  const { data, error } = useQuery(credentialsQuery(client))
  const [typed, setTyped] = useState(NOTHING)
  const onSuccess = () => queries.invalidateQueries({ queryKey: ['model-credentials'] })
  const put = useMutation({
    mutationFn: ({ host, username, secret }: typeof NOTHING) =>
      client.call('modelCredentialsPut', {
        body: username === '' ? { host, token: secret } : { host, username, password: secret },
      }),
    onSuccess({ host }) {
      setTyped(NOTHING)
      store.getState().tell({ kind: 'done', text: `Credentials of ${host} are stored.` })
      return onSuccess()
    },
  })
  const remove = useMutation({
    mutationFn: (host: string) => client.call('modelCredentialsRemove', { path: { host } }),
    onSuccess,
  })
  const field = (name: keyof typeof NOTHING) => ({
    value: typed[name],
    onChange: (event: { readonly target: { readonly value: string } }) =>
      setTyped((before) => ({ ...before, [name]: event.target.value })),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    put.mutate({ ...typed, host: typed.host.trim().toLowerCase() })
  }
  return (
    <Card title="Credentials of hosts">
      {error !== null && <ErrorNotice error={error} />}
      <ul className="divide-y divide-line">
        {data?.credentials.map(({ host, username }) => (
          <li key={host} className="flex items-center gap-4 px-3 py-1.5">
            <span className="min-w-0 flex-1 font-medium break-all">{host}</span>
            <span className="text-ink-2">{username ?? 'token'}</span>
            <Button kind="quiet" aria-label={`Forget the credentials of ${host}`} onClick={() => remove.mutate(host)}>
              Forget
            </Button>
          </li>
        ))}
      </ul>
      <form onSubmit={submit} className="grid items-start gap-2 px-3 py-2 sm:grid-cols-3">
        <Field
          label="Host"
          placeholder="huggingface.co"
          hint="Sent to this host alone, also after a redirect."
          required
          {...field('host')}
        />
        <Field label="User name" hint="Without one it is a token." {...field('username')} />
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
      </form>
    </Card>
  )
}

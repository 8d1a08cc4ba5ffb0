import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import type { AuditEntry, NamedKeyView } from '../../../src-main/contract/keys.ts'
import { ROLES, type Role } from '../../../src-main/contract/roles.ts'
import { DAY_MS } from '../../../src-main/lib/units.ts'
import { auditQuery, namedKeysQuery } from '../../api-client/system-queries.ts'
import { useApp } from '../../store/app-context.ts'
import { Button, CopyButton } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { Confirm, SidePanel } from '../../ui/Dialog.tsx'
import { Field, Labelled } from '../../ui/form/Field.tsx'
import { Form, Submit } from '../../ui/form/Form.tsx'
import { Select } from '../../ui/form/Select.tsx'
import { QueryState } from '../../ui/PageStates.tsx'
import { StateDot } from '../../ui/StateDot.tsx'
import { type Column, Table } from '../../ui/table/Table.tsx'
import { useTell } from '../../ui/use-tell.ts'
import { RelativeTime } from '../../ui/Values.tsx'

const ROLE_TEXTS: Readonly<Record<Role, string>> = {
  read: 'Read: see everything but values of variables',
  run: 'Run: also send jobs and requests, run graphs',
  deploy: 'Deploy: also change endpoints, deploy apps',
  admin: 'Admin: everything, like the account key',
}

const EFFECTS = {
  Rotate:
    'The key is replaced by a new one. Programs that use the old one get status 401 at once, and browsers that it signed in are signed out.',
  Revoke: 'Programs that use this key get status 401 at once, and browsers that it signed in are signed out.',
} as const

export function KeysCard() {
  const { client } = useApp()
  const { done, failed } = useTell()
  const queries = useQueryClient()
  const { data, error } = useQuery(namedKeysQuery(client))
  const [isAdding, setAdding] = useState(false)
  const [asked, setAsked] = useState<{ readonly act: keyof typeof EFFECTS; readonly key: NamedKeyView }>()
  const ends = {
    onError: failed,
    onSettled: () => queries.invalidateQueries({ queryKey: ['named-keys'] }),
  }
  const revoke = useMutation({
    mutationFn: ({ name }: NamedKeyView) => client.call('namedKeyRevoke', { path: { name } }),
    onSuccess: (_done, { name }) => done(`${name} is revoked.`),
    ...ends,
  })
  const rotate = useMutation({
    mutationFn: ({ name }: NamedKeyView) => client.call('namedKeyRotate', { path: { name } }),
    ...ends,
  })
  const change = useMutation({
    mutationFn: ({ name, role }: Pick<NamedKeyView, 'name' | 'role'>) =>
      client.call('namedKeyUpdate', { path: { name }, body: { role } }),
    onSuccess: ({ name, role }) => done(`${name} has the role ${role}.`),
    ...ends,
  })
  const add = (
    <Button onClick={() => setAdding(true)}>
      <Plus aria-hidden /> Add key
    </Button>
  )
  return (
    <Card title="API keys" aside={data !== undefined && data.keys.length > 0 && add}>
      <QueryState data={data} error={error} rows={2} className="m-3" />
      {data?.keys.length === 0 && (
        <div className="flex flex-wrap items-center justify-between gap-3 px-3 py-3">
          <p className="max-w-prose text-ink-2">
            Only the account key exists. Give other people and programs keys of their own, with a role and an expiry
            date.
          </p>
          {add}
        </div>
      )}
      <ul className="divide-y divide-line">
        {data?.keys.map((key) => (
          <li key={key.name} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-3 py-1.5">
            <span className="min-w-32 flex-1 font-medium break-all">{key.name}</span>
            <Select
              className="w-28"
              aria-label={`Role of ${key.name}`}
              choices={SHORT_ROLES}
              value={key.role}
              onChange={(role) => change.mutate({ name: key.name, role: role as Role })}
            />
            <span className="min-w-40 flex-1 text-small text-ink-2">
              <LastUse used={key} />
            </span>
            <span className="min-w-32 text-small text-ink-2">
              {key.endsAt === undefined ? (
                'does not expire'
              ) : (
                <>
                  expires <RelativeTime at={key.endsAt} />
                </>
              )}
            </span>
            <span className="ml-auto flex gap-1">
              {(['Rotate', 'Revoke'] as const).map((act) => (
                <Button key={act} kind="quiet" aria-label={`${act} ${key.name}`} onClick={() => setAsked({ act, key })}>
                  {act}
                </Button>
              ))}
            </span>
          </li>
        ))}
      </ul>
      {isAdding && <NewKeyPanel onClose={() => setAdding(false)} />}
      {rotate.data !== undefined && <ShownKeyPanel made={rotate.data} onClose={rotate.reset} />}
      {asked !== undefined && (
        <Confirm
          open
          onOpenChange={() => setAsked(undefined)}
          action={`${asked.act} ${asked.key.name}`}
          onConfirm={() => (asked.act === 'Rotate' ? rotate : revoke).mutate(asked.key)}
        >
          {EFFECTS[asked.act]}
        </Confirm>
      )}
    </Card>
  )
}

function LastUse({ used }: { readonly used: NamedKeyView }) {
  if (used.lastUsedAt === undefined) return 'not used yet'
  return (
    <>
      used <RelativeTime at={used.lastUsedAt} />
      {used.lastUsedFrom !== undefined && ` from ${used.lastUsedFrom}`}
    </>
  )
}

const SHORT_ROLES = ROLES.map((role) => ({ value: role, label: role }))
const ROLE_CHOICES = ROLES.map((role) => ({ value: role, label: ROLE_TEXTS[role] }))

function ShownKeyPanel({
  made: { name, key },
  onClose,
}: {
  readonly made: { readonly name: string; readonly key: string }
  readonly onClose: () => void
}) {
  return (
    <SidePanel open onOpenChange={onClose} title={`Key ${name}`}>
      <p className="text-ink-2">Copy it now: it is stored only as a hash and not shown again.</p>
      <p className="flex items-center gap-1 font-mono text-small break-all">
        {key}
        <CopyButton text={key} what="key" />
      </p>
      <Button kind="main" onClick={onClose} className="self-end">
        Done
      </Button>
    </SidePanel>
  )
}

function NewKeyPanel({ onClose }: { readonly onClose: () => void }) {
  const { client, platform } = useApp()
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('run')
  const [days, setDays] = useState('90')
  const make = useMutation({
    mutationFn: () => {
      const endsAt = days === '' ? {} : { endsAt: platform.now() + Number(days) * DAY_MS }
      return client.call('namedKeyCreate', { body: { name, role, ...endsAt } })
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['named-keys'] }),
  })
  if (make.data !== undefined) return <ShownKeyPanel made={make.data} onClose={onClose} />
  return (
    <SidePanel open onOpenChange={onClose} title="Add key">
      <Form onSubmit={() => make.mutate()} className="flex flex-col gap-4">
        <Field
          label="Name"
          placeholder="ada"
          hint="The person or program that it is for; changes are listed under this name."
          value={name}
          onChange={(event) => setName(event.target.value)}
          required
        />
        <Labelled label="Role" hint="Each role includes the ones above it.">
          {(ids) => (
            <Select {...ids} choices={ROLE_CHOICES} value={role} onChange={(chosen) => setRole(chosen as Role)} />
          )}
        </Labelled>
        <Field
          label="Days until it expires"
          hint="Leave it empty for a key that does not expire."
          value={days}
          inputMode="numeric"
          pattern="[0-9]{0,4}"
          onChange={(event) => setDays(event.target.value)}
        />
        <Submit error={make.error} disabled={make.isPending}>
          Make key
        </Submit>
      </Form>
    </SidePanel>
  )
}

type Change = AuditEntry & { readonly what: string }

const CHANGE_COLUMNS: readonly Column<Change>[] = [
  { id: 'at', header: 'When', width: 90, cell: ({ at }) => <RelativeTime at={at} /> },
  {
    id: 'key',
    header: 'Key',
    width: 90,
    grow: 1,
    cell: ({ key, from }) => (
      <span title={from === undefined ? key : `${key}, from ${from}`} className="font-medium">
        {key}
      </span>
    ),
  },
  {
    id: 'what',
    header: 'Change',
    width: 170,
    grow: 3,
    cell: ({ what, operation }) => <span title={`${what} (${operation})`}>{what}</span>,
  },
  { id: 'target', header: 'Of', width: 110, grow: 3, cell: ({ target }) => <span title={target}>{target}</span> },
  {
    id: 'status',
    header: 'Result',
    width: 110,
    cell: ({ status }) =>
      status < 400 ? (
        <StateDot tone="completed" text="done" />
      ) : (
        <StateDot tone="failed" text={`refused (${status})`} />
      ),
  },
]

export function ChangesCard() {
  const { client } = useApp()
  const { data, error, hasNextPage, fetchNextPage, isFetching } = useInfiniteQuery(auditQuery(client))
  const entries = data?.pages.flatMap((page) => page.entries) ?? []
  return (
    <Card title="Changes">
      <QueryState data={data} error={error} rows={2} className="m-3" />
      {data !== undefined && entries.length === 0 && (
        <p className="px-3 py-3 text-ink-2">Nobody has changed anything yet.</p>
      )}
      {entries.length > 0 && <Table label="Changes" columns={CHANGE_COLUMNS} rows={entries} className="max-h-96" />}
      {hasNextPage && (
        <div className="p-3">
          <Button onClick={() => void fetchNextPage()} disabled={isFetching}>
            Show older changes
          </Button>
        </div>
      )}
    </Card>
  )
}

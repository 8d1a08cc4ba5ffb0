import clsx from 'clsx'
import { useEffect, useState } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'
import { useShallow } from 'zustand/react/shallow'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import { appliedSections, FAULT_SECTION } from '../../../../src-main/features/endpoints/rules/settings/sections.ts'
import { ADDRESS } from '../../../addresses.ts'
import { useApp, useAppState } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Confirm } from '../../../ui/Dialog.tsx'
import { ShownKey } from '../../../ui/form/CreatedEndpoint.tsx'
import { CONTROL } from '../../../ui/form/Field.tsx'
import { Form } from '../../../ui/form/Form.tsx'
import { FormRow } from '../../../ui/form/FormRow.tsx'
import { TextLink } from '../../../ui/Links.tsx'
import { CommandsHere } from '../../../ui/Page.tsx'
import { ErrorNotice } from '../../../ui/PageStates.tsx'
import { fieldId, sectionId, showField, showSection } from '../../../ui/use-address.ts'
import { useDeleteEffects } from '../use-delete-effects.ts'
import { useEndpointActions } from '../use-endpoint-actions.ts'
import { NodeTypesRow } from './NodeTypesRow.tsx'
import { SaveBar } from './SaveBar.tsx'
import { SettingRow } from './SettingRow.tsx'
import { type DraftState, useSettings } from './use-settings.ts'

const KEY = 'key'
const DANGER = 'danger'

export function SettingsTab({ endpoint, state }: { readonly endpoint: LiveEndpoint; readonly state: DraftState }) {
  const form = useSettings(endpoint, state)
  const [search] = useSearchParams()
  const wanted = search.get('section')
  const field = search.get('field')
  const workers = useAppState(
    useShallow((app) => Object.values(app.live.workers).filter(({ endpointId }) => endpointId === endpoint.id)),
  )
  useEffect(() => {
    if (field !== null) showField(field)
    else if (wanted !== null) showSection(wanted)
  }, [wanted, field])
  const sections = appliedSections(form.read.effective)
  const links = [
    ...sections.map(({ id, title, fields }) => ({ id, title, changed: fields.some(({ path }) => path in form.draft) })),
    { id: KEY, title: 'Key', changed: false },
    { id: DANGER, title: 'Delete', changed: false },
  ]
  return (
    <div className="relative grid flex-1 grid-cols-1 content-start gap-4 lg:grid-cols-[160px_minmax(0,1fr)]">
      <SectionLinks links={links} current={wanted ?? links[0]?.id ?? ''} />
      <div className="flex min-w-0 max-w-4xl flex-col gap-4">
        <OfApp endpoint={endpoint} />
        {sections.map(({ id, title, about, fields }) => (
          <div key={id} id={sectionId(id)}>
            <Card title={title}>
              {about !== undefined && <p className="max-w-prose px-3 pt-2.5 text-ink-2">{about}</p>}
              <div className="divide-y divide-line">
                {fields.map((one) => (
                  <div key={`${one.path} ${one.label}`} id={fieldId(one.path)}>
                    <SettingRow
                      endpoint={endpoint}
                      field={one}
                      form={form}
                      readOnly={endpoint.app !== undefined && id !== FAULT_SECTION}
                    />
                  </div>
                ))}
                {id === 'workflows' && <NodeTypesRow endpoint={endpoint} />}
              </div>
            </Card>
          </div>
        ))}
        <div id={sectionId(KEY)}>
          <KeyCard endpoint={endpoint} />
        </div>
        <div id={sectionId(DANGER)}>
          <DangerCard endpoint={endpoint} />
        </div>
        <SaveBar form={form} workers={workers.length} running={endpoint.inProgress} />
      </div>
      {Object.keys(form.draft).length > 0 && (
        <CommandsHere
          commands={[
            { id: 'save-settings', group: 'Settings here', label: 'Save the settings', run: () => void form.save() },
            { id: 'discard-settings', group: 'Settings here', label: 'Discard changed settings', run: form.discard },
          ]}
        />
      )}
    </div>
  )
}

function OfApp({ endpoint }: { readonly endpoint: LiveEndpoint }) {
  const { app } = endpoint
  if (app === undefined) return null
  return (
    <p role="note" className="rounded-control bg-surface-2 px-3 py-2">
      These settings come from the app <TextLink to={ADDRESS.app(app.name, app.environment)}>{app.name}</TextLink> and
      are set when it is deployed: change them in its source, then deploy. You can still change fault injection and the
      key, and pause it here.
    </p>
  )
}

type SectionLinksProps = {
  readonly links: readonly { readonly id: string; readonly title: string; readonly changed: boolean }[]
  readonly current: string
}

function SectionLinks({ links, current }: SectionLinksProps) {
  return (
    <nav
      aria-label="Sections"
      className="sticky -top-4 z-10 flex gap-x-1 self-start overflow-x-auto bg-surface-0 py-1 lg:top-0 lg:flex-col"
    >
      {links.map(({ id, title, changed }) => (
        <Link
          key={id}
          to={`?section=${id}`}
          replace
          onClick={() => showSection(id)}
          aria-current={id === current ? 'location' : undefined}
          className={clsx(
            'flex items-center gap-2 rounded-control px-2 py-1 whitespace-nowrap hover:bg-surface-2 hover:text-ink',
            id === current ? 'font-medium text-ink' : 'text-ink-2',
          )}
        >
          {title}
          {changed && <span className="size-1.5 rounded-full bg-accent" title="changed" />}
          {changed && <span className="sr-only">changed</span>}
        </Link>
      ))}
    </nav>
  )
}

function DangerCard({ endpoint }: { readonly endpoint: LiveEndpoint }) {
  const { id, name, app } = endpoint
  const [, go] = useLocation()
  const { remove } = useEndpointActions(endpoint)
  const [typedId, setTypedId] = useState('')
  const effects = useDeleteEffects(id)
  const again = app === undefined ? '' : ' The next deploy of its app creates it again.'
  return (
    <Card title="Delete" className="border-failed/40">
      <Form onSubmit={async () => typedId === id && (await remove()) && go(ADDRESS.endpoints)}>
        <FormRow label={`Type ${id} to delete this endpoint`} help={`${effects}${again}`}>
          {(ids) => (
            <span className="flex flex-wrap gap-2">
              <input
                {...ids}
                value={typedId}
                onChange={(event) => setTypedId(event.target.value)}
                autoComplete="off"
                spellCheck={false}
                className={`${CONTROL} h-7 min-w-0 flex-1 font-mono text-small`}
              />
              <Button kind="danger" type="submit" disabled={typedId !== id}>
                Delete endpoint {name}
              </Button>
            </span>
          )}
        </FormRow>
      </Form>
    </Card>
  )
}

function KeyCard({ endpoint }: { readonly endpoint: LiveEndpoint }) {
  const { client } = useApp()
  const [asks, setAsks] = useState(false)
  const [key, setKey] = useState<string>()
  const [problem, setProblem] = useState<Error>()
  const rotate = async () => {
    try {
      setProblem(undefined)
      setKey((await client.call('endpointRotateKey', { path: { endpointId: endpoint.id } })).key)
    } catch (error) {
      setProblem(error as Error)
    }
  }
  return (
    <Card title="Key">
      <div className="flex flex-col gap-3 p-3">
        {key === undefined ? (
          <p className="max-w-prose text-ink-2">
            Clients send the key of this endpoint, or the account key. It is stored as a hash, so it cannot be shown
            again; if it is lost, make a new one.
          </p>
        ) : (
          <ShownKey endpointId={endpoint.id} apiKey={key} />
        )}
        {problem !== undefined && <ErrorNotice error={problem} />}
        <Button onClick={() => setAsks(true)} className="self-start">
          Make a new key
        </Button>
      </div>
      <Confirm
        open={asks}
        onOpenChange={setAsks}
        action={`Replace the key of ${endpoint.name}`}
        onConfirm={() => void rotate()}
      >
        The old key stops working at once: clients that use it get status 401 until they have the new one.
      </Confirm>
    </Card>
  )
}

import { useEffect, useMemo } from 'react'
import { Link, useSearchParams } from 'wouter'
import { useShallow } from 'zustand/react/shallow'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import { ADDRESS } from '../../../addresses.ts'
import { useAppState } from '../../../store/app-context.ts'
import type { Command } from '../../../store/commands-slice.ts'
import { Card } from '../../../ui/Card.tsx'
import { CommandsHere } from '../../../ui/CommandsHere.tsx'
import { fieldPlace, sectionPlace, showField, showSection } from '../../../ui/show-section.ts'
import { DangerCard } from './DangerCard.tsx'
import { KeyCard } from './KeyCard.tsx'
import { NodeTypesRow } from './NodeTypesRow.tsx'
import { SaveBar } from './SaveBar.tsx'
import { SectionLinks } from './SectionLinks.tsx'
import { SettingRow } from './SettingRow.tsx'
import { FAULT_SECTION, SETTING_SECTIONS } from './sections.ts'
import { type DraftState, useSettings } from './use-settings.ts'

const KEY = 'key'
const DANGER = 'danger'

/** The settings of an endpoint. */
export type SettingsTabProps = { readonly endpoint: LiveEndpoint; readonly state: DraftState }

/** All settings on one page, with links to its sections and one bar that saves. */
export function SettingsTab({ endpoint, state }: SettingsTabProps) {
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
  const { save, discard } = form
  const dirty = Object.keys(form.draft).length > 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: the functions are new each time and do the same
  const commands = useMemo<readonly Command[]>(
    () =>
      dirty
        ? [
            { id: 'save-settings', group: 'Settings here', label: 'Save the settings', run: () => void save() },
            { id: 'discard-settings', group: 'Settings here', label: 'Discard changed settings', run: discard },
          ]
        : [],
    [dirty, form.read],
  )
  const sections = SETTING_SECTIONS.map((section) => ({
    ...section,
    fields: section.fields.filter(({ applies }) => applies?.(form.read.effective) !== false),
  })).filter(({ fields }) => fields.length > 0)
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
          <div key={id} id={sectionPlace(id)}>
            <Card title={title}>
              {about !== undefined && <p className="max-w-prose px-3 pt-2.5 text-ink-2">{about}</p>}
              <div className="divide-y divide-line">
                {fields.map((one) => (
                  <div key={`${one.path} ${one.label}`} id={fieldPlace(one.path)}>
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
        <div id={sectionPlace(KEY)}>
          <KeyCard endpoint={endpoint} />
        </div>
        <div id={sectionPlace(DANGER)}>
          <DangerCard endpoint={endpoint} />
        </div>
        <SaveBar form={form} workers={workers.length} running={endpoint.inProgress} />
      </div>
      <CommandsHere commands={commands} />
    </div>
  )
}

function OfApp({ endpoint }: { readonly endpoint: LiveEndpoint }) {
  const { app } = endpoint
  if (app === undefined) return null
  return (
    <p role="note" className="rounded-control bg-surface-2 px-3 py-2">
      These settings come from the app{' '}
      <Link to={ADDRESS.app(app.name, app.environment)} className="text-accent hover:underline">
        {app.name}
      </Link>{' '}
      and are set by its deploys: change them in its source, then deploy. The fault switches, the key, and whether it is
      paused are yours to change here.
    </p>
  )
}
